# Figure fig_loss_comparison, drawn by yatlab: gnuplot -c fig_loss_comparison.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
500 2.721672018 2.720199448 2.723144587
1000 2.409154632 2.348619036 2.469690227
1500 2.112093974 2.082274191 2.141913757
2000 1.9694201 1.965142139 1.973698061
2500 1.879615984 1.8762683 1.882963669
3000 1.808089166 1.803186188 1.812992145
3500 1.758395851 1.752070331 1.764721371
4000 1.728451369 1.728451369 1.73087209
EOD
$panel0_line1 << EOD
500 2.811484946 2.810481026 2.812488866
1000 2.518958214 2.504865759 2.53305067
1500 2.347638212 2.296449846 2.398826578
2000 2.194490959 2.130117807 2.25886411
2500 2.080618594 2.023844637 2.137392551
3000 1.992537105 1.946119515 2.038954695
3500 1.936440039 1.896785951 1.976094127
4000 1.899082524 1.864293093 1.933871955
EOD
$panel0_line2 << EOD
0 5.568842304 5.561097704 5.576586904
500 2.560556138 2.556731567 2.56438071
1000 2.223243377 2.181971542 2.264515213
1500 2.030366363 2.018172652 2.042560074
2000 1.924997394 1.92089015 1.929104638
2500 1.850002323 1.846233609 1.853771037
3000 1.796620105 1.788064318 1.805175891
3500 1.75550198 1.748979893 1.762024066
4000 1.731826938 1.728451369 1.739021336
EOD
$panel0_band2 << EOD
0 NaN 5.561097704 5.576586904
428.6246014 NaN 2.85666961 2.865131886
430.5283605 NaN 2.848230095 2.85666961
500 NaN 2.556731567 2.56438071
1000 NaN 2.181971542 2.264515213
1500 NaN 2.018172652 2.042560074
2000 NaN 1.92089015 1.929104638
2500 NaN 1.846233609 1.853771037
3000 NaN 1.788064318 1.805175891
3500 NaN 1.748979893 1.762024066
4000 NaN 1.728451369 1.739021336
EOD
$panel0_line3 << EOD
0 5.548252077 5.546705304 5.549798849
500 2.56652158 2.562379491 2.57066367
1000 2.44904999 2.420237735 2.477862245
1500 2.259181989 2.198693369 2.319670608
2000 2.133046927 2.071400587 2.194693266
2500 2.034741964 1.982276655 2.087207273
3000 1.967881506 1.928445717 2.007317296
3500 1.9208401 1.884921244 1.956758956
4000 1.891457724 1.859197138 1.923718309
EOD
$panel0_band3 << EOD
0 NaN 5.546705304 5.549798849
429.6098067 NaN 2.85666961 2.864828099
431.4626409 NaN 2.84850617 2.85666961
500 NaN 2.562379491 2.57066367
1000 NaN 2.420237735 2.477862245
1500 NaN 2.198693369 2.319670608
2000 NaN 2.071400587 2.194693266
2500 NaN 1.982276655 2.087207273
3000 NaN 1.928445717 2.007317296
3500 NaN 1.884921244 1.956758956
4000 NaN 1.859197138 1.923718309
EOD
$panel0_line4 << EOD
EOD
$panel0_line5 << EOD
EOD
$panel0_arrow0 << EOD
0 2.67075959 0 0.1638148989 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.97in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,570 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,214 background '#ffffff'
} }
set output 'fig_loss_comparison'.'.'.format
set multiplot

reset
set lmargin at screen 0.1838141026
set rmargin at screen 0.8514917201
set bmargin at screen 0.2811447811
set tmargin at screen 0.9730639731
set xrange [-160:4160] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2000' 2000, '4000' 4000)
set logscale y
set yrange [1.515086495:2.85666961] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.75' 1.75, '2.00' 2, '2.25' 2.25, '2.50' 2.5, '2.75' 2.75)
set label 'step' at screen 0.5176529113,0.1641414141 center front
set label 'loss (nats per token)' at screen 0.04230769231,0.6271043771 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label '5.55–5.57' at first 86.4,2.751448164 left norotate front tc rgb '#000000'
set label '6-gram' at screen 0.8668763355,0.303735509 left front tc rgb '#777777'
set label '5-gram' at screen 0.8668763355,0.3480957784 left front tc rgb '#777777'
set label '4-gram' at screen 0.8668763355,0.4648440325 left front tc rgb '#777777'
set label 'trigram' at screen 0.8668763355,0.6554984154 left front tc rgb '#777777'
set label 'bigram' at screen 0.8668763355,0.8407136511 left front tc rgb '#777777'
set arrow from screen 0.08699252137,0.08838383838 to screen 0.1546848291,0.08838383838 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label 'GPT-2' at screen 0.1793002137,0.08838383838 left front
set arrow from screen 0.3429186699,0.08838383838 to screen 0.4106109776,0.08838383838 nohead lc rgb '#d55e00' lw 1.1 dt 1 front
set label 'Aether' at screen 0.4352263622,0.08838383838 left front
set arrow from screen 0.6113481571,0.08838383838 to screen 0.6790404647,0.08838383838 nohead lc rgb '#444444' lw 1.1 dt 1 front
set label 'training loss' at screen 0.7036558494,0.08838383838 left front
set arrow from screen 0.3312333066,0.0361952862 to screen 0.3989256143,0.0361952862 nohead lc rgb '#444444' lw 1.1 dt 2 front
set label 'validation loss' at screen 0.4235409989,0.0361952862 left front
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band2 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band3 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     2.530330059 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     2.135261838 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.792916305 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.592827677 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.546784466 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 1  notitle, \
     $panel0_line1 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 1  notitle, \
     $panel0_line2 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 2  notitle, \
     $panel0_line3 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 2  notitle, \
     $panel0_line4 using 1:2 with lines lc rgb '#444444' lw 1.1 dt 1  notitle, \
     $panel0_line5 using 1:2 with lines lc rgb '#444444' lw 1.1 dt 2  notitle
unset multiplot
unset output
