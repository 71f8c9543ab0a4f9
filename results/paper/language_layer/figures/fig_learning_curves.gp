# Figure fig_learning_curves, drawn by yatlab: gnuplot -c fig_learning_curves.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
1000 2.552002857 2.54046946 2.563536253
2000 2.054352834 2.036480059 2.072225609
3000 1.875724573 1.864865667 1.88658348
4000 1.771311991 1.762599056 1.780024927
5000 1.694319041 1.687310502 1.70132758
6000 1.636311908 1.62916297 1.643460846
7000 1.595556926 1.587734835 1.603379016
8000 1.571375838 1.561717243 1.581034433
EOD
$panel0_line1 << EOD
1000 2.598626926 2.573603311 2.623650541
2000 2.073076648 2.039722636 2.106430659
3000 1.87008464 1.853485109 1.886684171
4000 1.765127896 1.753559259 1.776696533
5000 1.688770393 1.677788324 1.699752462
6000 1.630026855 1.618830753 1.641222957
7000 1.587204987 1.575220789 1.599189185
8000 1.562299451 1.551157124 1.573441778
EOD
$panel1_line0 << EOD
0 5.564267698 5.548395584 5.580139811
1000 2.199914714 2.176472095 2.223357333
2000 1.953506051 1.941671449 1.965340652
3000 1.82389847 1.812431223 1.835365717
4000 1.737727652 1.72803932 1.747415984
5000 1.678640116 1.669710012 1.687570219
6000 1.629742074 1.619114244 1.640369903
7000 1.597218233 1.586722754 1.607713711
8000 1.579822071 1.568589468 1.591054673
EOD
$panel1_band0 << EOD
0 NaN 5.548395584 5.580139811
934.1388207 NaN 2.398550952 2.444438986
947.8090641 NaN 2.352455938 2.398550952
1000 NaN 2.176472095 2.223357333
2000 NaN 1.941671449 1.965340652
3000 NaN 1.812431223 1.835365717
4000 NaN 1.72803932 1.747415984
5000 NaN 1.669710012 1.687570219
6000 NaN 1.619114244 1.640369903
7000 NaN 1.586722754 1.607713711
8000 NaN 1.568589468 1.591054673
EOD
$panel1_line1 << EOD
0 5.54883853 5.548086837 5.549590223
1000 2.260101331 2.205755692 2.314446971
2000 1.953992532 1.934733037 1.973252028
3000 1.818904745 1.809867716 1.827941775
4000 1.732532346 1.721394725 1.743669968
5000 1.673182391 1.659403369 1.686961414
6000 1.620813599 1.611074609 1.63055259
7000 1.589734472 1.577879021 1.601589924
8000 1.572073924 1.56023031 1.583917538
EOD
$panel1_band1 << EOD
0 NaN 5.548086837 5.549590223
942.3171277 NaN 2.398550952 2.501059326
974.0030115 NaN 2.292646236 2.398550952
1000 NaN 2.205755692 2.314446971
2000 NaN 1.934733037 1.973252028
3000 NaN 1.809867716 1.827941775
4000 NaN 1.721394725 1.743669968
5000 NaN 1.659403369 1.686961414
6000 NaN 1.611074609 1.63055259
7000 NaN 1.577879021 1.601589924
8000 NaN 1.56023031 1.583917538
EOD
$panel1_arrow0 << EOD
0 2.286282402 0 0.09931448734 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.3in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,442 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,166 background '#ffffff'
} }
set output 'fig_learning_curves'.'.'.format
set multiplot

reset
set lmargin at screen 0.08850308642
set rmargin at screen 0.4851851852
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [720:8280] noextend
set xtics out nomirror scale 0.5,0 norotate ('2000' 2000, '4000' 4000, '6000' 6000, '8000' 8000)
set yrange [1.508257388:2.666550277] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.75' 1.75, '2.00' 2, '2.25' 2.25, '2.50' 2.5)
set label 'step' at screen 0.2868441358,0.05108695652 center front
set label 'training loss' at screen 0.02037037037,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle

reset
set lmargin at screen 0.5780301569
set rmargin at screen 0.9851851852
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [-320:8320] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2500' 2500, '5000' 5000, '7500' 7500)
set yrange [1.534946715:2.398550952] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.6' 1.6, '1.8' 1.8, '2.0' 2, '2.2' 2.2)
set label 'step' at screen 0.781607671,0.05108695652 center front
set label 'validation loss' at screen 0.5203703704,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '5.55–5.56' at first 172.8,2.335939645 left norotate front tc rgb '#000000' boxed
set arrow from screen 0.2522045396,0.9054347826 to screen 0.2847971322,0.9054347826 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.2685008359,0.9054347826 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'GPT-2 (Pre-LN)' at screen 0.2966489841,0.9054347826 left front
set arrow from screen 0.2522045396,0.8380434783 to screen 0.2847971322,0.8380434783 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.2685008359,0.8380434783 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'dot attention, {/:Normal=12 ⵟ} layer' at screen 0.2966489841,0.8380434783 left front
set arrow from screen 0.7522045396,0.9054347826 to screen 0.7847971322,0.9054347826 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.7685008359,0.9054347826 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'GPT-2 (Pre-LN)' at screen 0.7966489841,0.9054347826 left front
set arrow from screen 0.7522045396,0.8380434783 to screen 0.7847971322,0.8380434783 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.7685008359,0.8380434783 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'dot attention, {/:Normal=12 ⵟ} layer' at screen 0.7966489841,0.8380434783 left front
plot $panel1_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel1_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel1_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.004740740741,25,90 lw 0.7 lc rgb variable notitle, \
     $panel1_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel1_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle
unset multiplot
unset output
