# Figure fig_depth, drawn by yatlab: gnuplot -c fig_depth.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
1 0.86044 0.8536837354 0.8671962646
2 0.86441 0.8585715356 0.8702484644
3 0.86016 0.8529831545 0.8673368455
4 0.85967 0.850144123 0.869195877
EOD
$panel0_line1 << EOD
1 0.86604 0.8607041256 0.8713758744
2 0.86852 0.8631971353 0.8738428647
3 0.86839 0.8617850439 0.8749949561
4 0.86522 0.8581793561 0.8722606439
EOD
$panel0_line2 << EOD
1 0.85814 0.8530196267 0.8632603733
2 0.86382 0.8588693996 0.8687706004
3 0.86101 0.8544825452 0.8675374548
4 0.85925 0.8513565076 0.8671434924
EOD
$panel0_line3 << EOD
1 0.82591 0.8237001986 0.8281198014
2 0.82217 0.8188931282 0.8254468718
3 0.72987 0.718042532 0.741697468
4 0.67721 0.6564152651 0.6980047349
EOD
$panel0_line4 << EOD
1 0.86011 0.8517001579 0.8685198421
2 0.86721 0.8607737399 0.8736462601
3 0.86836 0.8641167832 0.8726032168
4 0.86952 0.8629929963 0.8760470037
EOD
$panel0_line5 << EOD
1 0.86318 0.8568389871 0.8695210129
2 0.87745 0.8731153207 0.8817846793
3 0.87597 0.8708727131 0.8810672869
4 0.87315 0.8673697174 0.8789302826
EOD
$panel0_arrow0 << EOD
4 0.8124541898 0 -0.00946646209 0x000000
EOD
$panel1_line0 << EOD
1 0.3488908533 0.3452055346 0.3525761721
2 0.3321993423 0.3298579672 0.3345407174
3 0.3319562026 0.3301013133 0.3338110918
4 0.3351978206 0.3328168021 0.3375788391
EOD
$panel1_line1 << EOD
1 0.3168261856 0.314532423 0.3191199481
2 0.2968138691 0.2945992291 0.2990285091
3 0.3037994416 0.3018120407 0.3057868425
4 0.3093803319 0.3078140211 0.3109466427
EOD
$panel1_line2 << EOD
1 0.3594767854 0.3566225052 0.3623310656
2 0.3235799249 0.321106125 0.3260537248
3 0.328036941 0.3258253575 0.3302485245
4 0.3364492674 0.3343063843 0.3385921504
EOD
$panel1_line3 << EOD
1 0.4915347703 0.489375618 0.4936939226
2 0.5080114676 0.5016577529 0.5143651823
3 0.7986748042 0.7827563285 0.8145932799
4 0.9957105253 0.9438104206 1.04761063
EOD
$panel1_line4 << EOD
1 0.3170496711 0.3156531054 0.3184462369
2 0.3015563614 0.2997041102 0.3034086125
3 0.3044756815 0.3024997283 0.3064516347
4 0.3117735852 0.3102963578 0.3132508126
EOD
$panel1_line5 << EOD
1 0.3165036389 0.3155220423 0.3174852354
2 0.2877550935 0.2859145153 0.2895956717
3 0.3002908989 0.2982535474 0.3023282505
4 0.3279805266 0.3264635791 0.329497474
EOD
$panel1_arrow0 << EOD
4 0.3690604628 0 0.01133498989 0x000000
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
set yrange [0.8017529718:0.8840700335] noextend
set ytics out nomirror scale 0.5,0 norotate ('82 %%' 0.82, '84 %%' 0.84, '86 %%' 0.86, '88 %%' 0.88)
set label 'hidden layers' at screen 0.2894282086,0.203125 center front
set label 'test accuracy' at screen 0.02037037037,0.6572916667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '67.7 %' at first 3.9352,0.8077209588 right norotate front tc rgb '#000000' boxed
plot $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.004740740741,25,90 lw 0.7 lc rgb variable notitle, \
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
     $panel0_line5 using 1:2 with linespoints lc rgb '#56b4e9' lw 1.1 dt 1 pt 2 ps 0.45 notitle

reset
set lmargin at screen 0.5989760159
set rmargin at screen 0.9851851852
set bmargin at screen 0.3479166667
set tmargin at screen 0.9666666667
set xrange [0.88:4.12] noextend
set xtics out nomirror scale 0.5,0 norotate ('1' 1, '2' 2, '3' 3, '4' 4)
set yrange [0.2833088001:0.3818739296] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.300' 0.3, '0.325' 0.325, '0.350' 0.35, '0.375' 0.375)
set label 'hidden layers' at screen 0.7920806006,0.203125 center front
set label 'training loss' at screen 0.5203703704,0.6572916667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '0.996' at first 3.9352,0.3747279578 right norotate front tc rgb '#000000' boxed
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
