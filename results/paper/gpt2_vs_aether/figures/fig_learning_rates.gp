# Figure fig_learning_rates, drawn by yatlab: gnuplot -c fig_learning_rates.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0.0001 2.555504905 2.554904728 2.556105081
0.0003 2.448883576 2.441478225 2.456288927
0.001 2.219302395 2.207251986 2.231352803
0.003 2.066293978 2.0585513 2.074036657
0.01 2.358260114 2.344381095 2.372139133
EOD
$panel0_line1 << EOD
0.0001 2.570650615 2.56779256 2.57350867
0.0003 2.508098989 2.502882686 2.513315293
0.001 2.306621406 2.224148067 2.389094745
0.003 2.434441404 2.419998009 2.4488848
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.4in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,461 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,173 background '#ffffff'
} }
set output 'fig_learning_rates'.'.'.format
set multiplot

reset
set lmargin at screen 0.1686153846
set rmargin at screen 0.9692307692
set bmargin at screen 0.2833333333
set tmargin at screen 0.9666666667
set logscale x
set xrange [8.317637711e-05:0.01202264435] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−4}' 0.0001, '10^{−3}' 0.001, '0.01' 0.01)
set yrange [2.037953005:2.594106965] noextend
set ytics out nomirror scale 0.5,0 norotate ('2.1' 2.1, '2.2' 2.2, '2.3' 2.3, '2.4' 2.4, '2.5' 2.5)
set label 'lr' at screen 0.5689230769,0.1385416667 center front
set label 'validation loss' at screen 0.04230769231,0.625 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.2730492308,0.04479166667 to screen 0.3407415385,0.04479166667 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.3068953846,0.04479166667 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'GPT-2' at screen 0.3653569231,0.04479166667 left front
set arrow from screen 0.5213261538,0.04479166667 to screen 0.5890184615,0.04479166667 nohead lc rgb '#d55e00' lw 1.1 dt 1 front
set label '' at screen 0.5551723077,0.04479166667 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'Aether' at screen 0.6136338462,0.04479166667 left front
plot $panel0_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 0.8 notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 title 'GPT-2', \
     $panel0_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 0.8 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 title 'Aether'
unset multiplot
unset output
