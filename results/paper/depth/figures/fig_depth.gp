# Figure fig_depth, drawn by yatlab: gnuplot -c fig_depth.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
1 0.86121 0.8547737399 0.8676462601
2 0.86269 0.8552626556 0.8701173444
3 0.86196 0.8540028648 0.8699171352
4 0.85831 0.8490004529 0.8676195471
EOD
$panel0_line1 << EOD
1 0.86604 0.8607041256 0.8713758744
2 0.86852 0.8631971353 0.8738428647
3 0.86839 0.8617850439 0.8749949561
4 0.86522 0.8581793561 0.8722606439
EOD
$panel0_line2 << EOD
1 0.85801 0.8537283985 0.8622916015
2 0.86197 0.8549091455 0.8690308545
3 0.86112 0.8545809209 0.8676590791
4 0.85983 0.8519085734 0.8677514266
EOD
$panel0_line3 << EOD
1 0.82593 0.8236677248 0.8281922752
2 0.82182 0.8187375046 0.8249024954
3 0.72855 0.7173852489 0.7397147511
4 0.6762 0.6554413873 0.6969586127
EOD
$panel0_line4 << EOD
1 0.86111 0.8525914647 0.8696285353
2 0.86655 0.8602428171 0.8728571829
3 0.8705 0.8668191185 0.8741808815
4 0.86954 0.864428314 0.874651686
EOD
$panel0_line5 << EOD
1 0.86253 0.8556263697 0.8694336303
2 0.87741 0.8730875907 0.8817324093
3 0.87592 0.8709345099 0.8809054901
4 0.87327 0.8676027353 0.8789372647
EOD
$panel0_arrow0 << EOD
4 0.8123610827 0 -0.009470845612 0x000000
EOD
$panel1_line0 << EOD
1 0.3491624191 0.3455647434 0.3527600948
2 0.3322532114 0.3297090377 0.3347973851
3 0.3318444575 0.3293258743 0.3343630407
4 0.3357724062 0.3333999844 0.338144828
EOD
$panel1_line1 << EOD
1 0.3168261857 0.3145324227 0.3191199487
2 0.2968138694 0.2945992295 0.2990285093
3 0.3037994541 0.3018120305 0.3057868778
4 0.3093802461 0.3078139352 0.310946557
EOD
$panel1_line2 << EOD
1 0.3594754352 0.356776973 0.3621738974
2 0.3230631745 0.3210102426 0.3251161063
3 0.3289157307 0.3269563557 0.3308751058
4 0.3351833727 0.3322273924 0.3381393529
EOD
$panel1_line3 << EOD
1 0.4915361393 0.4893774965 0.4936947821
2 0.507996985 0.5016438682 0.5143501017
3 0.7971566187 0.7797123455 0.814600892
4 0.9938894498 0.9442407158 1.043538184
EOD
$panel1_line4 << EOD
1 0.3170799856 0.315715205 0.3184447663
2 0.301353666 0.2993146712 0.3033926608
3 0.304227494 0.3022590392 0.3061959488
4 0.311770695 0.3099397671 0.313601623
EOD
$panel1_line5 << EOD
1 0.3167177609 0.3160239425 0.3174115793
2 0.2877554881 0.2859168485 0.2895941278
3 0.3002933672 0.2982554306 0.3023313039
4 0.327975693 0.3264601937 0.3294911924
EOD
$panel1_arrow0 << EOD
4 0.3688837008 0 0.0113104828 0x000000
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
set yrange [0.8016549094:0.8840100887] noextend
set ytics out nomirror scale 0.5,0 norotate ('82 %%' 0.82, '84 %%' 0.84, '86 %%' 0.86, '88 %%' 0.88)
set label 'hidden layers' at screen 0.2894282086,0.203125 center front
set label 'test accuracy' at screen 0.02037037037,0.6572916667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '67.6 %' at first 3.9352,0.8076256599 right norotate front tc rgb '#000000' boxed
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
set yrange [0.2833174396:0.381669464] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.300' 0.3, '0.325' 0.325, '0.350' 0.35, '0.375' 0.375)
set label 'hidden layers' at screen 0.7920806006,0.203125 center front
set label 'training loss' at screen 0.5203703704,0.6572916667 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '0.994' at first 3.9352,0.3745389422 right norotate front tc rgb '#000000' boxed
set arrow from screen 0.0284995499,0.109375 to screen 0.06109214249,0.109375 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.04479584619,0.109375 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'linear + ReLU' at screen 0.07294399434,0.109375 left front
set arrow from screen 0.216176376,0.109375 to screen 0.2487689686,0.109375 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.2324726723,0.109375 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=9.6 ⵟ}' at screen 0.2606208205,0.109375 left front
set arrow from screen 0.3025382587,0.109375 to screen 0.3351308513,0.109375 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.318834555,0.109375 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'cosine + ReLU' at screen 0.3469827032,0.109375 left front
set arrow from screen 0.496484375,0.109375 to screen 0.5290769676,0.109375 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.5127806713,0.109375 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label 'Euclidean + BN + ReLU' at screen 0.5409288194,0.109375 left front
set arrow from screen 0.7655896348,0.109375 to screen 0.7981822274,0.109375 nohead lc rgb '#e69f00' lw 1.1 dt 1 front
set label '' at screen 0.7818859311,0.109375 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'linear + BN + ReLU' at screen 0.8100340792,0.109375 left front
set arrow from screen 0.447702064,0.04479166667 to screen 0.4802946566,0.04479166667 nohead lc rgb '#56b4e9' lw 1.101 dt 1 front
set label '' at screen 0.4639983603,0.04479166667 point pt 2 ps 0.45 lc rgb '#56b4e9' front
set label '{/:Normal=9.6 ⵟ} + BN' at screen 0.4921465085,0.04479166667 left front
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
