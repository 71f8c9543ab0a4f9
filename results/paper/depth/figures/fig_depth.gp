# Figure fig_depth, drawn by yatlab: gnuplot -c fig_depth.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
1 0.8596333333 0.8532322918 0.8660343749
2 0.8553333333 0.8482556689 0.8624109977
3 0.8537 0.8433520533 0.8640479467
4 0.8513666667 0.8459358902 0.8567974432
EOD
$panel0_line1 << EOD
1 0.8636666667 0.8558045211 0.8715288123
2 0.8637666667 0.8612880918 0.8662452415
3 0.8602666667 0.8585656866 0.8619676468
4 0.8579666667 0.8536419316 0.8622914017
EOD
$panel0_line2 << EOD
1 0.8534 0.8471039695 0.8596960305
2 0.8596666667 0.8543663522 0.8649669811
3 0.8502333333 0.8464263223 0.8540403444
4 0.8578666667 0.8521392472 0.8635940861
EOD
$panel0_line3 << EOD
1 0.8266333333 0.8251288955 0.8281377712
2 0.8224 0.8193883559 0.8254116441
3 0.7372 0.7249399021 0.7494600979
4 0.6731666667 0.6704020088 0.6759313246
EOD
$panel0_line4 << EOD
1 0.8575333333 0.8501839569 0.8648827097
2 0.8679 0.8612697662 0.8745302338
3 0.8675333333 0.866283 0.8687836666
4 0.8702333333 0.869272431 0.8711942357
EOD
$panel0_line5 << EOD
1 0.8554666667 0.8425956398 0.8683376936
2 0.8726333333 0.8697587319 0.8755079348
3 0.8745333333 0.8649885267 0.8840781399
4 0.8698333333 0.8629041679 0.8767624987
EOD
$panel1_line0 << EOD
1 0.352541355 0.3506957861 0.3543869239
2 0.3337649729 0.330925879 0.3366040667
3 0.3337312471 0.3317837128 0.3356787814
4 0.3372366849 0.3336663867 0.3408069831
EOD
$panel1_line1 << EOD
1 0.3185405405 0.3167872554 0.3202938256
2 0.2981307297 0.2950615145 0.3011999449
3 0.3049663173 0.3025709595 0.3073616751
4 0.3108625218 0.3092862333 0.3124388103
EOD
$panel1_line2 << EOD
1 0.3617037369 0.3588819111 0.3645255626
2 0.3253752377 0.3229378191 0.3278126564
3 0.3298535125 0.3263761589 0.3333308661
4 0.3367715251 0.3339108392 0.339632211
EOD
$panel1_line3 << EOD
1 0.4906372433 0.4875307644 0.4937437222
2 0.509162389 0.5006945492 0.5176302288
3 0.7924660379 0.7673447392 0.8175873366
4 1.003884501 0.9529863308 1.054782672
EOD
$panel1_line4 << EOD
1 0.3171365863 0.3166912644 0.3175819082
2 0.3030446315 0.3021660342 0.3039232288
3 0.3065051635 0.30604594 0.306964387
4 0.3140603976 0.3115103285 0.3166104667
EOD
$panel1_line5 << EOD
1 0.3177045714 0.3162815733 0.3191275694
2 0.2877007477 0.2858053375 0.2895961579
3 0.30205838 0.3004432613 0.3036734988
4 0.328302944 0.3265253021 0.3300805859
EOD
$panel1_arrow0 << EOD
4 0.3711219298 0 0.01162535466 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.4in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,461 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,173 background '#ffffff'
} }
set output 'fig_depth'.'.'.format
set multiplot

reset
set lmargin at screen 0.093671232
set rmargin at screen 0.4851851852
set bmargin at screen 0.3479166667
set tmargin at screen 0.9666666667
set xrange [0.88:4.12] noextend
set xtics out nomirror scale 0.5,0 norotate ('1' 1, '2' 2, '3' 3, '4' 4)
set yrange [0.6618549635:0.8926251852] noextend
set ytics out nomirror scale 0.5,0 norotate ('70 %%' 0.7, '75 %%' 0.75, '80 %%' 0.8, '85 %%' 0.85)
set label 'hidden layers' at screen 0.2894282086,0.203125 center front
set label 'test accuracy' at screen 0.02037037037,0.6572916667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
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
     $panel0_line5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#56b4e9' lw 0.8 notitle, \
     $panel0_line5 using 1:2 with linespoints lc rgb '#56b4e9' lw 1.1 dt 1 pt 2 ps 0.45 notitle

reset
set lmargin at screen 0.5989760159
set rmargin at screen 0.9851851852
set bmargin at screen 0.3479166667
set tmargin at screen 0.9666666667
set xrange [0.88:4.12] noextend
set xtics out nomirror scale 0.5,0 norotate ('1' 1, '2' 2, '3' 3, '4' 4)
set yrange [0.2831735945:0.384263635] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.300' 0.3, '0.325' 0.325, '0.350' 0.35, '0.375' 0.375)
set label 'hidden layers' at screen 0.7920806006,0.203125 center front
set label 'training loss' at screen 0.5203703704,0.6572916667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label '1' at first 3.9352,0.3769346071 right norotate front tc rgb '#000000'
set arrow from screen 0.02696357382,0.109375 to screen 0.05955616641,0.109375 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.04325987011,0.109375 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'linear + ReLU' at screen 0.07140801826,0.109375 left front
set arrow from screen 0.2146403999,0.109375 to screen 0.2472329925,0.109375 nohead lc rgb '#d55e00' lw 1.1 dt 1 front
set label '' at screen 0.2309366962,0.109375 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=12 ⵟ}' at screen 0.2590848444,0.109375 left front
set arrow from screen 0.3040742348,0.109375 to screen 0.3366668274,0.109375 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.3203705311,0.109375 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'cosine + ReLU' at screen 0.3485186793,0.109375 left front
set arrow from screen 0.4980203511,0.109375 to screen 0.5306129437,0.109375 nohead lc rgb '#cc79a7' lw 1.1 dt 1 front
set label '' at screen 0.5143166474,0.109375 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label 'Euclidean + BN + ReLU' at screen 0.5424647955,0.109375 left front
set arrow from screen 0.7671256109,0.109375 to screen 0.7997182034,0.109375 nohead lc rgb '#e69f00' lw 1.1 dt 1 front
set label '' at screen 0.7834219072,0.109375 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'linear + BN + ReLU' at screen 0.8115700553,0.109375 left front
set arrow from screen 0.446166088,0.04479166667 to screen 0.4787586806,0.04479166667 nohead lc rgb '#56b4e9' lw 1.1 dt 1 front
set label '' at screen 0.4624623843,0.04479166667 point pt 2 ps 0.45 lc rgb '#56b4e9' front
set label '{/:Normal=12 ⵟ} + BN' at screen 0.4906105324,0.04479166667 left front
plot $panel1_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.004740740741,25,90 lw 0.7 lc rgb variable notitle, \
     $panel1_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 0.8 notitle, \
     $panel1_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel1_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 0.8 notitle, \
     $panel1_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel1_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#009e73' lw 0.8 notitle, \
     $panel1_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle, \
     $panel1_line3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#cc79a7' lw 0.8 notitle, \
     $panel1_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 notitle, \
     $panel1_line4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#e69f00' lw 0.8 notitle, \
     $panel1_line4 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel1_line5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#56b4e9' lw 0.8 notitle, \
     $panel1_line5 using 1:2 with linespoints lc rgb '#56b4e9' lw 1.1 dt 1 pt 2 ps 0.45 notitle
unset multiplot
unset output
