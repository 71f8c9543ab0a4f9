# Figure fig_depth, drawn by yatlab: gnuplot -c fig_depth.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
1 0.8575666667 0.8494424231 0.8656909102
2 0.8604 0.8542412664 0.8665587336
3 0.8513333333 0.844396235 0.8582704317
4 0.8501333333 0.8451640946 0.855102572
EOD
$panel0_line1 << EOD
1 0.8636666667 0.8558045211 0.8715288123
2 0.8637666667 0.8612880918 0.8662452415
3 0.8602666667 0.8585656866 0.8619676468
4 0.8579666667 0.8536419316 0.8622914017
EOD
$panel0_line2 << EOD
1 0.8540333333 0.8470818347 0.860984832
2 0.8606666667 0.8563523494 0.8649809839
3 0.8541333333 0.8489784004 0.8592882662
4 0.8496333333 0.8446933603 0.8545733063
EOD
$panel0_line3 << EOD
1 0.8266333333 0.8251288955 0.8281377712
2 0.8230333333 0.8198705287 0.826196138
3 0.7374333333 0.7238530781 0.7510135886
4 0.6774333333 0.6731714871 0.6816951796
EOD
$panel0_line4 << EOD
1 0.8578333333 0.8516930293 0.8639736373
2 0.8667333333 0.8604354501 0.8730312166
3 0.8643 0.8611203774 0.8674796226
4 0.8692666667 0.8604607974 0.8780725359
EOD
$panel0_line5 << EOD
1 0.8580666667 0.8514664141 0.8646669192
2 0.8726 0.8697645106 0.8754354894
3 0.8745333333 0.8649885267 0.8840781399
4 0.8697666667 0.8629422009 0.8765911325
EOD
$panel1_line0 << EOD
1 0.3523090557 0.3494604513 0.35515766
2 0.3342698424 0.3310315668 0.337508118
3 0.3337216773 0.3323250018 0.3351183529
4 0.3372989596 0.3349547231 0.3396431961
EOD
$panel1_line1 << EOD
1 0.3185405358 0.316787246 0.3202938255
2 0.2981307272 0.2950615128 0.3011999415
3 0.3049663121 0.302570952 0.3073616723
4 0.310862516 0.3092862205 0.3124388115
EOD
$panel1_line2 << EOD
1 0.3617506303 0.3586504656 0.3648507949
2 0.324981163 0.321182679 0.328779647
3 0.3291948585 0.325692381 0.3326973361
4 0.3376810751 0.3360633685 0.3392987818
EOD
$panel1_line3 << EOD
1 0.490637123 0.4875305491 0.4937436968
2 0.5091793284 0.500834302 0.5175243548
3 0.7942325523 0.7716023222 0.8168627824
4 1.005279963 0.9517764187 1.058783508
EOD
$panel1_line4 << EOD
1 0.3171917755 0.316689287 0.3176942639
2 0.3032812232 0.3022654041 0.3042970424
3 0.306784446 0.3062147574 0.3073541346
4 0.3127114632 0.3105989772 0.3148239492
EOD
$panel1_line5 << EOD
1 0.3171487041 0.3153952016 0.3189022066
2 0.2876991377 0.2858010773 0.2895971981
3 0.3020587786 0.3004437053 0.3036738519
4 0.3283013813 0.3265215261 0.3300812366
EOD
$panel1_arrow0 << EOD
4 0.3714874934 0 0.01167595844 0x000000
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
set yrange [0.664735221:0.8925144061] noextend
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
set yrange [0.2831563295:0.384686403] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.300' 0.3, '0.325' 0.325, '0.350' 0.35, '0.375' 0.375)
set label 'hidden layers' at screen 0.7920806006,0.203125 center front
set label 'training loss' at screen 0.5203703704,0.6572916667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '1.01' at first 3.9352,0.3773254726 right norotate front tc rgb '#000000' boxed
set arrow from screen 0.02696357382,0.109375 to screen 0.05955616641,0.109375 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.04325987011,0.109375 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'linear + ReLU' at screen 0.07140801826,0.109375 left front
set arrow from screen 0.2146403999,0.109375 to screen 0.2472329925,0.109375 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.2309366962,0.109375 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=12 ⵟ}' at screen 0.2590848444,0.109375 left front
set arrow from screen 0.3040742348,0.109375 to screen 0.3366668274,0.109375 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.3203705311,0.109375 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'cosine + ReLU' at screen 0.3485186793,0.109375 left front
set arrow from screen 0.4980203511,0.109375 to screen 0.5306129437,0.109375 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.5143166474,0.109375 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label 'Euclidean + BN + ReLU' at screen 0.5424647955,0.109375 left front
set arrow from screen 0.7671256109,0.109375 to screen 0.7997182034,0.109375 nohead lc rgb '#e69f00' lw 1.1 dt 1 front
set label '' at screen 0.7834219072,0.109375 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'linear + BN + ReLU' at screen 0.8115700553,0.109375 left front
set arrow from screen 0.446166088,0.04479166667 to screen 0.4787586806,0.04479166667 nohead lc rgb '#56b4e9' lw 1.101 dt 1 front
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
