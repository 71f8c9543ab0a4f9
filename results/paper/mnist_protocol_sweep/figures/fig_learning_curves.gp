# Figure fig_learning_curves, drawn by yatlab: gnuplot -c fig_learning_curves.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
469 0.5520286956 0.543718826 0.5603385652
1407 0.3251310103 0.3241567086 0.3261053121
2345 0.2963936145 0.2958227387 0.2969644903
3283 0.2826580867 0.2822986743 0.283017499
4221 0.2741738069 0.2737899733 0.2745576406
EOD
$panel0_band0 << EOD
469 NaN 0.543718826 0.5603385652
1407 NaN 0.3241567086 0.3261053121
1627.49233 NaN 0.3174963429 0.3192552826
1684.109999 NaN 0.3157861048 0.3174963429
2345 NaN 0.2958227387 0.2969644903
3283 NaN 0.2822986743 0.283017499
4221 NaN 0.2737899733 0.2745576406
EOD
$panel0_line1 << EOD
469 0.5502858091 0.5443259791 0.5562456391
1407 0.289729993 0.289018295 0.2904416909
2345 0.2686659253 0.2681895131 0.2691423375
3283 0.2587533708 0.2584606417 0.2590461
4221 0.252658058 0.2523296887 0.2529864274
EOD
$panel0_band1 << EOD
469 NaN 0.5443259791 0.5562456391
1302.3717 NaN 0.3174963429 0.3200905343
1311.526386 NaN 0.3150045928 0.3174963429
1407 NaN 0.289018295 0.2904416909
2345 NaN 0.2681895131 0.2691423375
3283 NaN 0.2584606417 0.2590461
4221 NaN 0.2523296887 0.2529864274
EOD
$panel0_line2 << EOD
469 0.5185348662 0.5114725156 0.5255972169
1407 0.2771916676 0.2751189563 0.279264379
2345 0.2601488334 0.258668693 0.2616289737
3283 0.2514988362 0.2501793263 0.252818346
4221 0.2461942742 0.2446781904 0.247710358
EOD
$panel0_band2 << EOD
469 NaN 0.5114725156 0.5255972169
1238.819801 NaN 0.3174963429 0.3234310163
1261.418183 NaN 0.3118020912 0.3174963429
1407 NaN 0.2751189563 0.279264379
2345 NaN 0.258668693 0.2616289737
3283 NaN 0.2501793263 0.252818346
4221 NaN 0.2446781904 0.247710358
EOD
$panel0_line3 << EOD
469 0.5616136954 0.5560802226 0.5671471683
1407 0.288330297 0.2876598826 0.2890007115
2345 0.2676545766 0.2671996888 0.2681094644
3283 0.2578870257 0.2575926774 0.2581813739
4221 0.2518548811 0.2515339906 0.2521757715
EOD
$panel0_band3 << EOD
469 NaN 0.5560802226 0.5671471683
1302.73592 NaN 0.3174963429 0.3199182855
1310.903495 NaN 0.3151590898 0.3174963429
1407 NaN 0.2876598826 0.2890007115
2345 NaN 0.2671996888 0.2681094644
3283 NaN 0.2575926774 0.2581813739
4221 NaN 0.2515339906 0.2521757715
EOD
$panel0_arrow0 << EOD
469 0.3077589373 0 0.008613858753 0x000000
EOD
$panel1_line0 << EOD
0 0.11478 0.07895023584 0.1506097642
938 0.9109 0.9090052705 0.9127947295
1876 0.91846 0.9176275338 0.9192924662
2814 0.92178 0.9207183974 0.9228416026
3752 0.92342 0.9228309329 0.9240090671
4690 0.92466 0.9237528065 0.9255671935
EOD
$panel1_band0 << EOD
0 NaN 0.07895023584 0.1506097642
935.3304866 NaN 0.9066429645 0.9106255793
938 NaN 0.9090052705 0.9127947295
1114.270382 NaN 0.9106255793 0.9140157941
1876 NaN 0.9176275338 0.9192924662
2814 NaN 0.9207183974 0.9228416026
3752 NaN 0.9228309329 0.9240090671
4690 NaN 0.9237528065 0.9255671935
EOD
$panel1_line1 << EOD
0 0.1145 0.07897761269 0.1500223873
938 0.91548 0.9143280451 0.9166319549
1876 0.92384 0.9231307751 0.9245492249
2814 0.92596 0.9247299594 0.9271900406
3752 0.92672 0.9259837935 0.9274562065
4690 0.92728 0.9268305559 0.9277294441
EOD
$panel1_band1 << EOD
0 NaN 0.07897761269 0.1500223873
930.6507827 NaN 0.9077830858 0.9106255793
933.8425675 NaN 0.9106255793 0.9132341644
938 NaN 0.9143280451 0.9166319549
1876 NaN 0.9231307751 0.9245492249
2814 NaN 0.9247299594 0.9271900406
3752 NaN 0.9259837935 0.9274562065
4690 NaN 0.9268305559 0.9277294441
EOD
$panel1_line2 << EOD
0 0.0971 0.07312949729 0.1210705027
938 0.91962 0.9180272037 0.9212127963
1876 0.92538 0.923882669 0.926877331
2814 0.92634 0.9246538802 0.9280261198
3752 0.92692 0.9258351037 0.9280048963
4690 0.9276 0.9262904199 0.9289095801
EOD
$panel1_band2 << EOD
0 NaN 0.07312949729 0.1210705027
925.5886956 NaN 0.9068477979 0.9106255793
929.7827641 NaN 0.9106255793 0.9142032462
938 NaN 0.9180272037 0.9212127963
1876 NaN 0.923882669 0.926877331
2814 NaN 0.9246538802 0.9280261198
3752 NaN 0.9258351037 0.9280048963
4690 NaN 0.9262904199 0.9289095801
EOD
$panel1_line3 << EOD
0 0.1145 0.07897761269 0.1500223873
938 0.91584 0.9148162813 0.9168637187
1876 0.92398 0.9233579068 0.9246020932
2814 0.92622 0.9251168228 0.9273231772
3752 0.92652 0.9258589402 0.9271810598
4690 0.92732 0.9267309329 0.9279090671
EOD
$panel1_band3 << EOD
0 NaN 0.07897761269 0.1500223873
930.3695104 NaN 0.9080168588 0.9106255793
933.2970847 NaN 0.9106255793 0.9130189534
938 NaN 0.9148162813 0.9168637187
1876 NaN 0.9233579068 0.9246020932
2814 NaN 0.9251168228 0.9273231772
3752 NaN 0.9258589402 0.9271810598
4690 NaN 0.9267309329 0.9279090671
EOD
$panel1_arrow0 << EOD
0 0.9130712453 0 -0.002163473834 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.98in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,572 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,215 background '#ffffff'
} }
set output 'fig_learning_curves'.'.'.format
set multiplot

reset
set lmargin at screen 0.08850308642
set rmargin at screen 0.4851851852
set bmargin at screen 0.3842281879
set tmargin at screen 0.9731543624
set xrange [318.92:4371.08] noextend
set xtics out nomirror scale 0.5,0 norotate ('1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000)
set yrange [0.2425932233:0.3174963429] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.26' 0.26, '0.28' 0.28, '0.30' 0.3)
set label 'step' at screen 0.2868441358,0.2676174497 center front
set label 'training loss (nats)' at screen 0.02037037037,0.6786912752 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel0_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band2 using 1:3:4 with filledcurves fc rgb '#009e73' fs transparent solid 0.18 noborder notitle, \
     $panel0_band3 using 1:3:4 with filledcurves fc rgb '#cc79a7' fs transparent solid 0.18 noborder notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.004740740741,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle, \
     $panel0_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 notitle

reset
set lmargin at screen 0.6093766075
set rmargin at screen 0.9851851852
set bmargin at screen 0.3842281879
set tmargin at screen 0.9731543624
set xrange [-187.6:4877.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2000' 2000, '4000' 4000)
set yrange [0.9106255793:0.9294383952] noextend
set ytics out nomirror scale 0.5,0 norotate ('91.5 %%' 0.915, '92.0 %%' 0.92, '92.5 %%' 0.925)
set label 'step' at screen 0.7972808963,0.2676174497 center front
set label 'test accuracy' at screen 0.5203703704,0.6786912752 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.2400551376,0.192114094 to screen 0.2726477302,0.192114094 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.2563514339,0.192114094 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Linear, init uniform (low 0, high 0.2), bias true, pixels unit' at screen 0.284499582,0.192114094 left front
set arrow from screen 0.1859431263,0.1401006711 to screen 0.2185357189,0.1401006711 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.2022394226,0.1401006711 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=9.6 ⵟ}, (√n/log(1+n))\^α, init uniform (low 0, high 0.2), bias true, pixels unit' at screen 0.2303875707,0.1401006711 left front
set arrow from screen 0.2345502186,0.08808724832 to screen 0.2671428112,0.08808724832 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.2508465149,0.08808724832 point pt 9 ps 0.45 lc rgb '#009e73' front
set label '{/:Normal=9.6 ⵟ}, (n/log(1+n))\^α, init xavier\_normal, bias true, pixels unit' at screen 0.2789946631,0.08808724832 left front
set arrow from screen 0.248913323,0.0360738255 to screen 0.2815059156,0.0360738255 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.2652096193,0.0360738255 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label '{/:Normal=9.6 ⵟ}, α, init uniform (low 0, high 0.2), bias true, pixels unit' at screen 0.2933577675,0.0360738255 left front
plot $panel1_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel1_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel1_band2 using 1:3:4 with filledcurves fc rgb '#009e73' fs transparent solid 0.18 noborder notitle, \
     $panel1_band3 using 1:3:4 with filledcurves fc rgb '#cc79a7' fs transparent solid 0.18 noborder notitle, \
     $panel1_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.004740740741,25,90 lw 0.7 lc rgb variable notitle, \
     $panel1_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel1_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel1_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle, \
     $panel1_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 notitle
unset multiplot
unset output
