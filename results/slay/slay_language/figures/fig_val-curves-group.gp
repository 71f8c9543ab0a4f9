# Figure fig_val-curves-group, drawn by yatlab: gnuplot -c fig_val-curves-group.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 5.56982374 5.562497418 5.577150063
500 2.556715736 2.545730694 2.567700778
1000 2.32034377 2.304747167 2.335940373
1500 2.180486129 2.166655285 2.194316972
2000 2.111551386 2.096572825 2.126529946
EOD
$panel0_band0 << EOD
0 NaN 5.562497418 5.577150063
475.1681159 NaN 2.695554697 2.717161369
478.7579209 NaN 2.673895488 2.695554697
500 NaN 2.545730694 2.567700778
1000 NaN 2.304747167 2.335940373
1500 NaN 2.166655285 2.194316972
2000 NaN 2.096572825 2.126529946
EOD
$panel0_line1 << EOD
0 5.569719149 5.562479845 5.576958453
500 2.577168261 2.566562006 2.587774515
1000 2.45242522 2.427266778 2.477583662
1500 2.315759075 2.28721504 2.344303109
2000 2.244918827 2.222465069 2.267372585
EOD
$panel0_band1 << EOD
0 NaN 5.562479845 5.576958453
478.4719245 NaN 2.695554697 2.716477271
481.9716378 NaN 2.67458499 2.695554697
500 NaN 2.566562006 2.587774515
1000 NaN 2.427266778 2.477583662
1500 NaN 2.28721504 2.344303109
2000 NaN 2.222465069 2.267372585
EOD
$panel0_line2 << EOD
0 5.569745667 5.561022379 5.578468955
500 2.570271435 2.559600708 2.580942162
1000 2.377310347 2.328441348 2.426179345
1500 2.212167627 2.173239234 2.251096019
2000 2.14574275 2.105117521 2.186367979
EOD
$panel0_band2 << EOD
0 NaN 5.561022379 5.578468955
477.3517346 NaN 2.695554697 2.716719727
480.8821501 NaN 2.674362166 2.695554697
500 NaN 2.559600708 2.580942162
1000 NaN 2.328441348 2.426179345
1500 NaN 2.173239234 2.251096019
2000 NaN 2.105117521 2.186367979
EOD
$panel0_line3 << EOD
0 5.568281957 5.56023956 5.576324353
500 2.551217104 2.542618309 2.5598159
1000 2.414722982 2.413644454 2.41580151
1500 2.311239615 2.308874747 2.313604482
2000 2.258823264 2.254218916 2.263427611
EOD
$panel0_band3 << EOD
0 NaN 5.56023956 5.576324353
474.6594461 NaN 2.695554697 2.71269589
477.5006768 NaN 2.67840718 2.695554697
500 NaN 2.542618309 2.5598159
1000 NaN 2.413644454 2.41580151
1500 NaN 2.308874747 2.313604482
2000 NaN 2.254218916 2.263427611
EOD
$panel0_line4 << EOD
0 5.569405014 5.562112984 5.576697044
500 2.558924453 2.55259673 2.565252176
1000 2.435469026 2.428929369 2.442008683
1500 2.329012086 2.322305613 2.335718559
2000 2.281108049 2.270544388 2.29167171
EOD
$panel0_band4 << EOD
0 NaN 5.562112984 5.576697044
476.2490123 NaN 2.695554697 2.708301756
478.3654481 NaN 2.682815801 2.695554697
500 NaN 2.55259673 2.565252176
1000 NaN 2.428929369 2.442008683
1500 NaN 2.322305613 2.335718559
2000 NaN 2.270544388 2.29167171
EOD
$panel0_line5 << EOD
0 5.568422356 5.559045319 5.577799393
500 2.550196356 2.540993678 2.559399033
1000 2.440581673 2.438173901 2.442989444
1500 2.359621839 2.356637461 2.362606217
2000 2.31991498 2.317586895 2.322243066
EOD
$panel0_band5 << EOD
0 NaN 5.559045319 5.577799393
474.3939076 NaN 2.695554697 2.71397791
477.4457249 NaN 2.677133612 2.695554697
500 NaN 2.540993678 2.559399033
1000 NaN 2.438173901 2.442989444
1500 NaN 2.356637461 2.362606217
2000 NaN 2.317586895 2.322243066
EOD
$panel0_line6 << EOD
0 5.570542281 5.561295764 5.579788798
500 2.559422177 2.549090032 2.569754323
1000 2.431514773 2.426840548 2.436188999
1500 2.3488617 2.3467255 2.3509979
2000 2.301166245 2.29946676 2.302865729
EOD
$panel0_band6 << EOD
0 NaN 5.561295764 5.579788798
475.6881372 NaN 2.695554697 2.716113414
479.1031673 NaN 2.67498115 2.695554697
500 NaN 2.549090032 2.569754323
1000 NaN 2.426840548 2.436188999
1500 NaN 2.3467255 2.3509979
2000 NaN 2.29946676 2.302865729
EOD
$panel0_line7 << EOD
0 5.548308938 5.546787683 5.549830194
500 2.578577094 2.573811126 2.583343061
1000 2.453144051 2.450026089 2.456262013
1500 2.285854922 2.266393541 2.305316303
2000 2.214021956 2.18276546 2.245278452
EOD
$panel0_band7 << EOD
0 NaN 5.546787683 5.549830194
479.5249696 NaN 2.695554697 2.704820889
481.086782 NaN 2.686268234 2.695554697
500 NaN 2.573811126 2.583343061
1000 NaN 2.450026089 2.456262013
1500 NaN 2.266393541 2.305316303
2000 NaN 2.18276546 2.245278452
EOD
$panel0_line8 << EOD
0 5.548308991 5.546785917 5.549832065
500 2.565325256 2.559636854 2.571013658
1000 2.335088826 2.256705052 2.4134726
1500 2.223070078 2.128051965 2.318088192
2000 2.174793309 2.077231389 2.272355229
EOD
$panel0_band8 << EOD
0 NaN 5.546785917 5.549832065
477.2495715 NaN 2.695554697 2.706552448
479.0955637 NaN 2.684526189 2.695554697
500 NaN 2.559636854 2.571013658
1000 NaN 2.256705052 2.4134726
1500 NaN 2.128051965 2.318088192
2000 NaN 2.077231389 2.272355229
EOD
$panel0_arrow0 << EOD
0 2.613008552 0 0.07302158957 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.3in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,442 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,166 background '#ffffff'
} }
set output 'fig_val-curves-group'.'.'.format
set multiplot

reset
set lmargin at screen 0.1620626335
set rmargin at screen 0.9692307692
set bmargin at screen 0.497826087
set tmargin at screen 0.9652173913
set xrange [-80:2080] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '1000' 1000, '2000' 2000)
set yrange [2.060584353:2.695554697] noextend
set ytics out nomirror scale 0.5,0 norotate ('2.2' 2.2, '2.4' 2.4, '2.6' 2.6)
set label 'step' at screen 0.5656467014,0.3467391304 center front
set label 'validation loss' at screen 0.04230769231,0.7315217391 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.1167768429,0.2489130435 to screen 0.1844691506,0.2489130435 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.1506229968,0.2489130435 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'softmax' at screen 0.2090845353,0.2489130435 left front
set arrow from screen 0.4092781784,0.2489130435 to screen 0.4769704861,0.2489130435 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.4431243323,0.2489130435 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=9.6 ⵟ}' at screen 0.5015858707,0.2489130435 left front
set arrow from screen 0.5886451656,0.2489130435 to screen 0.6563374733,0.2489130435 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.6224913194,0.2489130435 point pt 9 ps 0.45 lc rgb '#009e73' front
set label '{/:Normal=9.6 ⵟ}, spherical' at screen 0.6809528579,0.2489130435 left front
set arrow from screen 0.03909087874,0.1815217391 to screen 0.1067831864,0.1815217391 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.07293703259,0.1815217391 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label 'SLAY' at screen 0.131398571,0.1815217391 left front
set arrow from screen 0.2779563969,0.1815217391 to screen 0.3456487046,0.1815217391 nohead lc rgb '#e69f00' lw 1.1 dt 1 front
set label '' at screen 0.3118025507,0.1815217391 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'linear, ELU + 1' at screen 0.3702640892,0.1815217391 left front
set arrow from screen 0.6880458734,0.1815217391 to screen 0.7557381811,0.1815217391 nohead lc rgb '#56b4e9' lw 1.101 dt 1 front
set label '' at screen 0.7218920272,0.1815217391 point pt 2 ps 0.45 lc rgb '#56b4e9' front
set label 'cosFormer' at screen 0.7803535657,0.1815217391 left front
set arrow from screen 0.1977564103,0.1141304348 to screen 0.2654487179,0.1141304348 nohead lc rgb '#000000' lw 1.1 dt 1 front
set label '' at screen 0.2316025641,0.1141304348 point pt 13 ps 0.45 lc rgb '#000000' front
set label 'Performer' at screen 0.2900641026,0.1141304348 left front
set arrow from screen 0.5227096688,0.1141304348 to screen 0.5904019765,0.1141304348 nohead lc rgb '#0072b2' lw 1.101 dt 2 front
set label '' at screen 0.5565558226,0.1141304348 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label '{/:Normal=9.6 ⵟ}, {/:Normal=9.6 ⵟ} layers' at screen 0.6150173611,0.1141304348 left front
set arrow from screen 0.2718583066,0.04673913043 to screen 0.3395506143,0.04673913043 nohead lc rgb '#d55e00' lw 1.1 dt 2 front
set label '' at screen 0.3057044605,0.04673913043 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=9.6 ⵟ}, spherical, {/:Normal=9.6 ⵟ} layers' at screen 0.3641659989,0.04673913043 left front
plot $panel0_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band2 using 1:3:4 with filledcurves fc rgb '#009e73' fs transparent solid 0.18 noborder notitle, \
     $panel0_band3 using 1:3:4 with filledcurves fc rgb '#cc79a7' fs transparent solid 0.18 noborder notitle, \
     $panel0_band4 using 1:3:4 with filledcurves fc rgb '#e69f00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band5 using 1:3:4 with filledcurves fc rgb '#56b4e9' fs transparent solid 0.18 noborder notitle, \
     $panel0_band6 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
     $panel0_band7 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band8 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle, \
     $panel0_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 notitle, \
     $panel0_line4 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel0_line5 using 1:2 with linespoints lc rgb '#56b4e9' lw 1.1 dt 1 pt 2 ps 0.45 notitle, \
     $panel0_line6 using 1:2 with linespoints lc rgb '#000000' lw 1.1 dt 1 pt 13 ps 0.45 notitle, \
     $panel0_line7 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 2 pt 7 ps 0.45 notitle, \
     $panel0_line8 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 2 pt 5 ps 0.45 notitle
unset multiplot
unset output
