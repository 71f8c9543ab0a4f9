# Figure fig_ablation_layernorm, drawn by yatlab: gnuplot -c fig_ablation_layernorm.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0.0003 2.538721168 2.535972895 2.541469441
0.003 2.503236413 2.496865082 2.509607744
EOD
$panel0_line1 << EOD
0.0003 2.477659841 2.460025644 2.495294037
0.003 2.436364731 2.362664673 2.510064789
EOD
$panel0_line2 << EOD
0.0003 2.537934778 2.536226133 2.539643423
0.003 3.207005828 3.206262287 3.207749369
EOD
$panel0_line3 << EOD
0.0003 2.515542481 2.514585248 2.516499715
0.003 2.259643253 2.237513298 2.281773209
EOD
$panel0_line4 << EOD
0.0003 2.774819167 2.751857494 2.797780839
0.003 2.425163244 2.411327123 2.438999364
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.4in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,461 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,173 background '#ffffff'
} }
set output 'fig_ablation_layernorm'.'.'.format
set multiplot

reset
set lmargin at screen 0.1686153846
set rmargin at screen 0.9665754986
set bmargin at screen 0.4770833333
set tmargin at screen 0.9666666667
set xrange [0.000192:0.003108] noextend
set xtics out nomirror scale 0.5,0 norotate ('0.001' 0.001, '0.002' 0.002, '0.003' 0.003)
set yrange [2.198703855:3.246558812] noextend
set ytics out nomirror scale 0.5,0 norotate ('2.5' 2.5, '3.0' 3)
set label 'lr' at screen 0.5675954416,0.3322916667 center front
set label 'validation loss' at screen 0.04230769231,0.721875 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.2555415385,0.2385416667 to screen 0.3232338462,0.2385416667 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.2893876923,0.2385416667 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Aether (no LayerNorm)' at screen 0.3478492308,0.2385416667 left front
set arrow from screen 0.08418769231,0.1739583333 to screen 0.15188,0.1739583333 nohead lc rgb '#d55e00' lw 1.1 dt 1 front
set label '' at screen 0.1180338462,0.1739583333 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'Aether + Pre-LN' at screen 0.1764953846,0.1739583333 left front
set arrow from screen 0.5213261538,0.1739583333 to screen 0.5890184615,0.1739583333 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.5551723077,0.1739583333 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'Aether + Post-LN' at screen 0.6136338462,0.1739583333 left front
set arrow from screen 0.3216430769,0.109375 to screen 0.3893353846,0.109375 nohead lc rgb '#cc79a7' lw 1.1 dt 1 front
set label '' at screen 0.3554892308,0.109375 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label 'GPT-2 (Pre-LN)' at screen 0.4139507692,0.109375 left front
set arrow from screen 0.2366553846,0.04479166667 to screen 0.3043476923,0.04479166667 nohead lc rgb '#e69f00' lw 1.1 dt 1 front
set label '' at screen 0.2705015385,0.04479166667 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'GPT-2 without LayerNorm' at screen 0.3289630769,0.04479166667 left front
plot $panel0_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 0.8 notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 title 'Aether (no LayerNorm)', \
     $panel0_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 0.8 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 title 'Aether + Pre-LN', \
     $panel0_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#009e73' lw 0.8 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 title 'Aether + Post-LN', \
     $panel0_line3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#cc79a7' lw 0.8 notitle, \
     $panel0_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 title 'GPT-2 (Pre-LN)', \
     $panel0_line4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#e69f00' lw 0.8 notitle, \
     $panel0_line4 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 title 'GPT-2 without LayerNorm'
unset multiplot
unset output
