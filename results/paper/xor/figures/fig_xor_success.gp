# Figure fig_xor_success, drawn by yatlab: gnuplot -c fig_xor_success.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
1e-05 0.88 0.7619518262 0.9438239985
0.01 0.86 0.7381380629 0.9304916657
0.1 0.96 0.8653990931 0.9889611157
1 0.98 0.8950455641 0.9964607407
EOD
$panel0_line1 << EOD
5.011872336e-06 0 0 0.07134759913
1.995262315 0 0 0.07134759913
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.3in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,442 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,166 background '#ffffff'
} }
set output 'fig_xor_success'.'.'.format
set multiplot

reset
set lmargin at screen 0.2162994124
set rmargin at screen 0.9692307692
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set logscale x
set xrange [5.011872336e-06:1.995262315] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−5}' 1e-05, '10^{−3}' 0.001, '10^{−1}' 0.1)
set yrange [-0.03:1.03] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '25 %%' 0.25, '50 %%' 0.5, '75 %%' 0.75, '100 %%' 1)
set label 'ε' at screen 0.5927650908,0.05108695652 center front
set label 'XOR separated' at screen 0.04230769231,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.2347609509,0.6173913043 to screen 0.3024532585,0.6173913043 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.2686071047,0.6173913043 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label '{/:Normal=9.6 ⵟ}' at screen 0.3270686432,0.6173913043 left front
set arrow from screen 0.2347609509,0.55 to screen 0.3024532585,0.55 nohead lc rgb '#d55e00' lw 1.101 dt 2 front
set label 'Dot product, Cosine, Euclidean' at screen 0.3270686432,0.55 left front
plot $panel0_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 0.8 notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 2  notitle
unset multiplot
unset output
