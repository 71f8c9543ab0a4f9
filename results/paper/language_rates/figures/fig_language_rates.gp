# Figure fig_language_rates, drawn by yatlab: gnuplot -c fig_language_rates.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0.0005 2.694892189 2.694892189 2.694892189
0.001 2.68026943 2.68026943 2.68026943
0.002 2.620238398 2.620238398 2.620238398
0.004 2.641075515 2.641075515 2.641075515
0.008 2.692331726 2.692331726 2.692331726
EOD
$panel0_line1 << EOD
0.0005 2.824897163 2.824897163 2.824897163
0.001 2.789922372 2.789922372 2.789922372
0.002 2.719093701 2.719093701 2.719093701
0.004 2.583305425 2.583305425 2.583305425
EOD
$panel0_line2 << EOD
0.0005 2.699154435 2.699154435 2.699154435
0.001 2.667512717 2.667512717 2.667512717
0.002 2.523957128 2.523957128 2.523957128
0.004 2.633874452 2.633874452 2.633874452
0.008 2.646595202 2.646595202 2.646595202
EOD
$panel0_line3 << EOD
0.0005 2.827615335 2.827615335 2.827615335
0.001 2.777394584 2.777394584 2.777394584
0.002 2.735276043 2.735276043 2.735276043
0.004 2.694622547 2.694622547 2.694622547
EOD
$panel0_line4 << EOD
0.0005 2.704626179 2.704626179 2.704626179
0.001 2.686236035 2.686236035 2.686236035
0.002 2.685899596 2.685899596 2.685899596
0.004 2.691941415 2.691941415 2.691941415
EOD
$panel0_line5 << EOD
0.0005 2.69450409 2.69450409 2.69450409
0.001 2.684031394 2.684031394 2.684031394
0.002 2.680119783 2.680119783 2.680119783
0.004 2.656825426 2.656825426 2.656825426
EOD
$panel0_line6 << EOD
0.0005 2.673911665 2.673911665 2.673911665
0.001 2.631616366 2.631616366 2.631616366
0.002 2.687791012 2.687791012 2.687791012
0.004 2.695516206 2.695516206 2.695516206
0.008 2.707291685 2.707291685 2.707291685
EOD
$panel0_line7 << EOD
0.0005 2.689400962 2.689400962 2.689400962
0.001 2.677234371 2.677234371 2.677234371
0.002 2.669611136 2.669611136 2.669611136
0.004 3.264043238 3.264043238 3.264043238
0.008 3.263595543 3.263595543 3.263595543
EOD
$panel0_line8 << EOD
0.008 3.017148915 NaN NaN
EOD
$panel0_line9 << EOD
0.008 2.98077163 NaN NaN
EOD
$panel0_line10 << EOD
0.008 2.944394344 NaN NaN
EOD
$panel0_line11 << EOD
0.008 2.908017059 NaN NaN
EOD
$panel0_line12 << EOD
EOD
$panel0_arrow0 << EOD
0.004 2.841186788 0 0.043029132 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.4in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,461 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,173 background '#ffffff'
} }
set output 'fig_language_rates'.'.'.format
set multiplot

reset
set lmargin at screen 0.1620626335
set rmargin at screen 0.9686507919
set bmargin at screen 0.5416666667
set tmargin at screen 0.9666666667
set logscale x
set xrange [0.0004475125355:0.008938297105] noextend
set xtics out nomirror scale 0.5,0 norotate ('0.0005' 0.0005, '0.001' 0.001, '0.002' 0.002, '0.004' 0.004, '0.008' 0.008)
set yrange [2.515662051:3.035337558] noextend
set ytics out nomirror scale 0.5,0 norotate ('2.6' 2.6, '2.8' 2.8, '3.0' 3)
set label 'learning rate' at screen 0.5653567127,0.396875 center front
set label 'validation loss' at screen 0.04230769231,0.7541666667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '3.26' at first 0.003767480383,2.862701354 right norotate front tc rgb '#000000' boxed
set arrow from screen 0.1051298745,0.303125 to screen 0.1728221822,0.303125 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.1389760283,0.303125 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'GPT-2' at screen 0.1974375668,0.303125 left front
set arrow from screen 0.361056023,0.303125 to screen 0.4287483307,0.303125 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.3949021768,0.303125 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'GPT-2 without LayerNorm' at screen 0.4533637153,0.303125 left front
set arrow from screen 0.03405782585,0.2385416667 to screen 0.1017501335,0.2385416667 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.0679039797,0.2385416667 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'dot attention, {/:Normal=12 ⵟ} layer' at screen 0.1263655182,0.2385416667 left front
set arrow from screen 0.5610176282,0.2385416667 to screen 0.6287099359,0.2385416667 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.5948637821,0.2385416667 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label '{/:Normal=12 ⵟ} attention, GELU' at screen 0.6533253205,0.2385416667 left front
set arrow from screen 0.1370225694,0.1739583333 to screen 0.2047148771,0.1739583333 nohead lc rgb '#e69f00' lw 1.1 dt 1 front
set label '' at screen 0.1708687233,0.1739583333 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'Aether' at screen 0.2293302618,0.1739583333 left front
set arrow from screen 0.4054520566,0.1739583333 to screen 0.4731443643,0.1739583333 nohead lc rgb '#56b4e9' lw 1.101 dt 1 front
set label '' at screen 0.4392982105,0.1739583333 point pt 2 ps 0.45 lc rgb '#56b4e9' front
set label 'Aether, learned scale' at screen 0.4977597489,0.1739583333 left front
set arrow from screen 0.09077357105,0.109375 to screen 0.1584658787,0.109375 nohead lc rgb '#000000' lw 1.1 dt 1 front
set label '' at screen 0.1246197249,0.109375 point pt 13 ps 0.45 lc rgb '#000000' front
set label 'Aether + Pre-LN' at screen 0.1830812634,0.109375 left front
set arrow from screen 0.5222472623,0.109375 to screen 0.58993957,0.109375 nohead lc rgb '#0072b2' lw 1.101 dt 2 front
set label '' at screen 0.5560934161,0.109375 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Aether + Post-LN' at screen 0.6145549546,0.109375 left front
set label '' at screen 0.4122132078,0.04479166667 point pt 2 ps 0.9 lc rgb '#444444' lw 1.2 front
set label 'diverged' at screen 0.4706747463,0.04479166667 left front
plot $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 0.8 notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 0.8 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#009e73' lw 0.8 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle, \
     $panel0_line3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#cc79a7' lw 0.8 notitle, \
     $panel0_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 notitle, \
     $panel0_line4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#e69f00' lw 0.8 notitle, \
     $panel0_line4 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel0_line5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#56b4e9' lw 0.8 notitle, \
     $panel0_line5 using 1:2 with linespoints lc rgb '#56b4e9' lw 1.1 dt 1 pt 2 ps 0.45 notitle, \
     $panel0_line6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#000000' lw 0.8 notitle, \
     $panel0_line6 using 1:2 with linespoints lc rgb '#000000' lw 1.1 dt 1 pt 13 ps 0.45 notitle, \
     $panel0_line7 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 0.8 notitle, \
     $panel0_line7 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 2 pt 7 ps 0.45 notitle, \
     $panel0_line8 using 1:2 with points lc rgb '#d55e00' lw 1.2 pt 2 ps 0.9 notitle, \
     $panel0_line9 using 1:2 with points lc rgb '#cc79a7' lw 1.2 pt 2 ps 0.9 notitle, \
     $panel0_line10 using 1:2 with points lc rgb '#e69f00' lw 1.2 pt 2 ps 0.9 notitle, \
     $panel0_line11 using 1:2 with points lc rgb '#56b4e9' lw 1.2 pt 2 ps 0.9 notitle, \
     $panel0_line12 using 1:2 with points lc rgb '#444444' lw 1.2 pt 2 ps 0.9 notitle
unset multiplot
unset output
