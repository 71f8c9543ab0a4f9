# Figure fig_language_mini, drawn by yatlab: gnuplot -c fig_language_mini.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 10.89283248 10.89283248 10.89283248
400 6.710640073 6.710640073 6.710640073
800 6.418342651 6.418342651 6.418342651
EOD
$panel0_line1 << EOD
0 10.82293376 10.82293376 10.82293376
400 6.806536623 6.806536623 6.806536623
800 6.438778343 6.438778343 6.438778343
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.67in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,513 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,192 background '#ffffff'
} }
set output 'fig_language_mini'.'.'.format
set multiplot

reset
set lmargin at screen 0.1511952457
set rmargin at screen 0.8356163194
set bmargin at screen 0.3127340824
set tmargin at screen 0.9700374532
set xrange [-32:832] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '250' 250, '500' 500, '750' 750)
set logscale y
set yrange [6.200156246:11.12575628] noextend
set ytics out nomirror scale 0.5,0 norotate ('7' 7, '8' 8, '9' 9, '10' 10, '11' 11)
set label 'step' at screen 0.4934057826,0.1825842697 center front
set label 'validation loss' at screen 0.04230769231,0.6413857678 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label 'bigram' at screen 0.8510009348,0.3384224063 left front tc rgb '#777777'
set label 'trigram' at screen 0.8510009348,0.3877669756 left front tc rgb '#777777'
set label 'unigram' at screen 0.8510009348,0.5536974385 left front tc rgb '#777777'
set arrow from screen 0.3277026576,0.09831460674 to screen 0.3953949653,0.09831460674 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.3615488114,0.09831460674 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'GPT-2 (Pre-LN)' at screen 0.4200103499,0.09831460674 left front
set arrow from screen 0.2032869257,0.04026217228 to screen 0.2709792334,0.04026217228 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.2371330796,0.04026217228 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=12 ⵟ} attention, {/:Normal=12 ⵟ} layer (Aether)' at screen 0.2955946181,0.04026217228 left front
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     7.682289519 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     6.343463546 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     6.386342292 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle
unset multiplot
unset output
