# Figure fig_learning_curves, drawn by yatlab: gnuplot -c fig_learning_curves.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0 0 0
200 1 1 1
EOD
$panel0_line1 << EOD
0 0 0 0
200 1 1 1
EOD
$panel0_line2 << EOD
0 0 0 0
200 1 1 1
EOD
$panel0_line3 << EOD
0 0 0 0
200 1 1 1
EOD
$panel0_line4 << EOD
0 0 0 0
200 1 1 1
EOD
$panel0_line5 << EOD
0 0.03443908691 0.01962528147 0.04925289236
200 1 1 1
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.6in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,499 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,187 background '#ffffff'
} }
set output 'fig_learning_curves'.'.'.format
set multiplot

reset
set lmargin at screen 0.2162994124
set rmargin at screen 0.9692307692
set bmargin at screen 0.5596153846
set tmargin at screen 0.9692307692
set xrange [-8:208] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '100' 100, '200' 200)
set yrange [-0.04:1.04] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '50 %%' 0.5, '100 %%' 1)
set label 'step' at screen 0.5927650908,0.4259615385 center front
set label 'accuracy' at screen 0.04230769231,0.7644230769 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.2603532318,0.3394230769 to screen 0.3280455395,0.3394230769 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.2941993857,0.3394230769 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'softmax, task retrieval' at screen 0.3526609241,0.3394230769 left front
set arrow from screen 0.2285456731,0.2798076923 to screen 0.2962379808,0.2798076923 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.2623918269,0.2798076923 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=9.6 ⵟ}, spherical, task retrieval' at screen 0.3208533654,0.2798076923 left front
set arrow from screen 0.2441272703,0.2201923077 to screen 0.311819578,0.2201923077 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.2779734241,0.2201923077 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'Performer, task retrieval' at screen 0.3364349626,0.2201923077 left front
set arrow from screen 0.2015591613,0.1605769231 to screen 0.269251469,0.1605769231 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.2354053152,0.1605769231 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label 'linear, ELU + 1, task retrieval' at screen 0.2938668536,0.1605769231 left front
set arrow from screen 0.2871711405,0.1009615385 to screen 0.3548634482,0.1009615385 nohead lc rgb '#e69f00' lw 1.1 dt 1 front
set label '' at screen 0.3210172943,0.1009615385 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'SLAY, task retrieval' at screen 0.3794788328,0.1009615385 left front
set arrow from screen 0.2560379941,0.04134615385 to screen 0.3237303018,0.04134615385 nohead lc rgb '#56b4e9' lw 1.101 dt 1 front
set label '' at screen 0.289884148,0.04134615385 point pt 2 ps 0.45 lc rgb '#56b4e9' front
set label 'no attention, task copy' at screen 0.3483456864,0.04134615385 left front
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_line2 using 1:3:4 with filledcurves fc rgb '#009e73' fs transparent solid 0.18 noborder notitle, \
     $panel0_line3 using 1:3:4 with filledcurves fc rgb '#cc79a7' fs transparent solid 0.18 noborder notitle, \
     $panel0_line4 using 1:3:4 with filledcurves fc rgb '#e69f00' fs transparent solid 0.18 noborder notitle, \
     $panel0_line5 using 1:3:4 with filledcurves fc rgb '#56b4e9' fs transparent solid 0.18 noborder notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle, \
     $panel0_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 notitle, \
     $panel0_line4 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel0_line5 using 1:2 with linespoints lc rgb '#56b4e9' lw 1.1 dt 1 pt 2 ps 0.45 notitle
unset multiplot
unset output
