# Figure fig_sweep, drawn by yatlab: gnuplot -c fig_sweep.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
-0.08 1064258560 1064258560 1064258560
0.92 650202112 650202112 650202112
EOD
$panel0_line1 << EOD
0 985410560 985410560 985410560
1 571354112 571354112 571354112
EOD
$panel0_line2 << EOD
0.08 966536240 966536240 966536240
1.08 571354160 571354160 571354160
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.4in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,461 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,173 background '#ffffff'
} }
set output 'fig_sweep'.'.'.format
set multiplot

reset
set lmargin at screen 0.2226262019
set rmargin at screen 0.9692307692
set bmargin at screen 0.3479166667
set tmargin at screen 0.9666666667
set xrange [-0.5:1.5] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '256' 1)
set yrange [551637934.1:1083974738] noextend
set ytics out nomirror scale 0.5,0 norotate ('6e+08' 600000000, '8e+08' 800000000, '1e+09' 1000000000)
set label 'block' at screen 0.5959284856,0.203125 center front
set label 'kept tensors (bytes)' at screen 0.04230769231,0.6572916667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label '' at screen 0.1389760283,0.109375 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'GPT-2' at screen 0.1974375668,0.109375 left front
set label '' at screen 0.3949021768,0.109375 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'GPT-2 without LayerNorm' at screen 0.4533637153,0.109375 left front
set label '' at screen 0.430400641,0.04479166667 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'Aether' at screen 0.4888621795,0.04479166667 left front
plot $panel0_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel0_line0 using 1:2 with points lc rgb '#0072b2' lw 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 1.1 notitle, \
     $panel0_line1 using 1:2 with points lc rgb '#d55e00' lw 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#009e73' lw 1.1 notitle, \
     $panel0_line2 using 1:2 with points lc rgb '#009e73' lw 1 pt 9 ps 0.45 notitle
unset multiplot
unset output
