# Figure fig_ablation_layernorm, drawn by yatlab: gnuplot -c fig_ablation_layernorm.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0.0003 2.559158078 2.556167373 2.562148783
0.001 2.492535366 2.484142216 2.500928515
0.003 2.506736991 2.498628029 2.514845953
EOD
$panel0_line1 << EOD
0.0003 2.480475959 2.463281002 2.497670917
0.001 2.3824603 2.352981781 2.411938818
0.003 2.488286256 2.479063447 2.497509066
0.01 2.527792794 2.523754857 2.531830731
EOD
$panel0_line2 << EOD
0.0003 2.552547887 2.550693156 2.554402618
0.001 2.421321044 2.386982054 2.455660033
EOD
$panel0_line3 << EOD
0.0003 2.530309198 2.5282114 2.532406996
0.001 2.407886051 2.396234833 2.419537268
0.003 2.280364155 2.247417431 2.313310879
0.01 2.49945586 2.457598023 2.541313698
EOD
$panel0_line4 << EOD
0.0003 2.782709759 2.755597459 2.809822058
0.001 2.593300425 2.584769046 2.601831805
0.003 2.423889844 2.389277278 2.45850241
EOD
$panel0_line5 << EOD
0.01 2.966868211 NaN NaN
EOD
$panel0_line6 << EOD
0.003 2.966868211 NaN NaN
0.01 2.913048224 NaN NaN
EOD
$panel0_line7 << EOD
0.01 2.859228237 NaN NaN
EOD
$panel0_line8 << EOD
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
set lmargin at screen 0.1620626335
set rmargin at screen 0.9692307692
set bmargin at screen 0.4125
set tmargin at screen 0.9666666667
set logscale x
set xrange [0.0002607390656:0.01150575574] noextend
set xtics out nomirror scale 0.5,0 norotate ('0.0003' 0.0003, '0.001' 0.001, '0.003' 0.003, '0.01' 0.01)
set yrange [2.224921246:2.993778205] noextend
set ytics out nomirror scale 0.5,0 norotate ('2.4' 2.4, '2.6' 2.6, '2.8' 2.8)
set label 'learning rate' at screen 0.5656467014,0.2677083333 center front
set label 'validation loss' at screen 0.04230769231,0.6895833333 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.04073517628,0.1739583333 to screen 0.108427484,0.1739583333 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.07458133013,0.1739583333 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Aether (no LayerNorm)' at screen 0.1330428686,0.1739583333 left front
set arrow from screen 0.589329594,0.1739583333 to screen 0.6570219017,0.1739583333 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.6231757479,0.1739583333 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'Aether + Pre-LN' at screen 0.6816372863,0.1739583333 left front
set arrow from screen 0.1034438435,0.109375 to screen 0.1711361512,0.109375 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.1372899973,0.109375 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'Aether + Post-LN' at screen 0.1957515358,0.109375 left front
set arrow from screen 0.5519614717,0.109375 to screen 0.6196537794,0.109375 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.5858076255,0.109375 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label 'GPT-2 (Pre-LN)' at screen 0.644269164,0.109375 left front
set arrow from screen 0.0806907719,0.04479166667 to screen 0.1483830796,0.04479166667 nohead lc rgb '#e69f00' lw 1.1 dt 1 front
set label '' at screen 0.1145369257,0.04479166667 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'GPT-2 without LayerNorm' at screen 0.1729984642,0.04479166667 left front
set label '' at screen 0.7098894899,0.04479166667 point pt 2 ps 0.9 lc rgb '#444444' lw 1.2 front
set label 'diverged' at screen 0.7683510283,0.04479166667 left front
plot $panel0_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 0.8 notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 0.8 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#009e73' lw 0.8 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle, \
     $panel0_line3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#cc79a7' lw 0.8 notitle, \
     $panel0_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 notitle, \
     $panel0_line4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#e69f00' lw 0.8 notitle, \
     $panel0_line4 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel0_line5 using 1:2 with points lc rgb '#0072b2' lw 1.2 pt 2 ps 0.9 notitle, \
     $panel0_line6 using 1:2 with points lc rgb '#009e73' lw 1.2 pt 2 ps 0.9 notitle, \
     $panel0_line7 using 1:2 with points lc rgb '#e69f00' lw 1.2 pt 2 ps 0.9 notitle, \
     $panel0_line8 using 1:2 with points lc rgb '#444444' lw 1.2 pt 2 ps 0.9 notitle
unset multiplot
unset output
