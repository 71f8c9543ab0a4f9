# Figure fig_mnist_inversion_curves, drawn by yatlab: gnuplot -c fig_mnist_inversion_curves.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0.10207 0.06764826752 0.1364917325
938 0.90367 0.901343319 0.905996681
1876 0.9147 0.9139651531 0.9154348469
2814 0.91863 0.9172999624 0.9199600376
3752 0.92041 0.9193191797 0.9215008203
4690 0.92266 0.9216971339 0.9236228661
EOD
$panel0_band0 << EOD
0 NaN 0.06764826752 0.1364917325
923.7935132 NaN 0.8887165837 0.8943421374
930.1228891 NaN 0.8943421374 0.8995345533
938 NaN 0.901343319 0.905996681
1876 NaN 0.9139651531 0.9154348469
2814 NaN 0.9172999624 0.9199600376
3752 NaN 0.9193191797 0.9215008203
4690 NaN 0.9216971339 0.9236228661
EOD
$panel0_line1 << EOD
0 0.1016 0.0684384426 0.1347615574
938 0.89713 0.8943311709 0.8999288291
1876 0.91186 0.9098682392 0.9138517608
2814 0.91701 0.9153100327 0.9187099673
3752 0.91821 0.9160926379 0.9203273621
4690 0.92121 0.9199857542 0.9224342458
EOD
$panel0_band1 << EOD
0 NaN 0.0684384426 0.1347615574
931.1514101 NaN 0.8883011063 0.8943421374
938 NaN 0.8943311709 0.8999288291
938.6620666 NaN 0.8943421374 0.8999386563
1876 NaN 0.9098682392 0.9138517608
2814 NaN 0.9153100327 0.9187099673
3752 NaN 0.9160926379 0.9203273621
4690 NaN 0.9199857542 0.9224342458
EOD
$panel0_line2 << EOD
0 0.10207 0.06764826752 0.1364917325
938 0.87699 0.8734096679 0.8805703321
1876 0.90316 0.9013809865 0.9049390135
2814 0.91119 0.9102372846 0.9121427154
3752 0.91535 0.9141516215 0.9165483785
4690 0.91796 0.9171405151 0.9187794849
EOD
$panel0_band2 << EOD
0 NaN 0.06764826752 0.1364917325
938 NaN 0.8734096679 0.8805703321
1468.104734 NaN 0.8892174807 0.8943421374
1639.956766 NaN 0.8943421374 0.8988067508
1876 NaN 0.9013809865 0.9049390135
2814 NaN 0.9102372846 0.9121427154
3752 NaN 0.9141516215 0.9165483785
4690 NaN 0.9171405151 0.9187794849
EOD
$panel0_line3 << EOD
0 0.09975 0.0729864157 0.1265135843
938 0.89464 0.8897468756 0.8995331244
1876 0.90983 0.9056091391 0.9140508609
2814 0.91667 0.9125509251 0.9207890749
3752 0.9186 0.9146413246 0.9225586754
4690 0.92087 0.9168961829 0.9248438171
EOD
$panel0_band3 << EOD
0 NaN 0.0729864157 0.1265135843
931.7011348 NaN 0.8842621591 0.8943421374
938 NaN 0.8897468756 0.8995331244
1209.736475 NaN 0.8943421374 0.9037388798
1876 NaN 0.9056091391 0.9140508609
2814 NaN 0.9125509251 0.9207890749
3752 NaN 0.9146413246 0.9225586754
4690 NaN 0.9168961829 0.9248438171
EOD
$panel0_arrow0 << EOD
0 0.8984293625 0 -0.003615622187 0x000000
EOD
$panel1_line0 << EOD
469 0.6325676155 0.6138629806 0.6512722503
1407 0.3408045374 0.3390040432 0.3426050317
2345 0.3076921254 0.3067374962 0.3086467546
3283 0.2925140163 0.2918070992 0.2932209335
4221 0.2833287322 0.2826640195 0.2839934448
EOD
$panel1_band0 << EOD
469 NaN 0.6138629806 0.6512722503
1336.468917 NaN 0.3596715255 0.3658146619
1355.137119 NaN 0.3542012461 0.3596715255
1407 NaN 0.3390040432 0.3426050317
2345 NaN 0.3067374962 0.3086467546
3283 NaN 0.2918070992 0.2932209335
4221 NaN 0.2826640195 0.2839934448
EOD
$panel1_line1 << EOD
469 0.7345627265 0.6974824812 0.7716429719
1407 0.3603521061 0.3573665004 0.3633377117
2345 0.3226248332 0.3207649547 0.3244847116
3283 0.3038967371 0.3025039358 0.3052895384
4221 0.2921224364 0.2909334019 0.2933114708
EOD
$panel1_band1 << EOD
469 NaN 0.6974824812 0.7716429719
1400.643011 NaN 0.3596715255 0.3661048674
1407 NaN 0.3573665004 0.3633377117
1495.510093 NaN 0.3539127625 0.3596715255
2345 NaN 0.3207649547 0.3244847116
3283 NaN 0.3025039358 0.3052895384
4221 NaN 0.2909334019 0.2933114708
EOD
$panel1_line2 << EOD
469 0.9082848623 0.8556123106 0.9609574141
1407 0.3900237511 0.3854487433 0.3945987589
2345 0.3373213853 0.3350995332 0.3395432373
3283 0.3139012424 0.3124126183 0.3153898664
4221 0.3000653951 0.2988253031 0.3013054871
EOD
$panel1_band2 << EOD
469 NaN 0.8556123106 0.9609574141
1407 NaN 0.3854487433 0.3945987589
1887.226605 NaN 0.3596715255 0.3664120572
2002.067378 NaN 0.3535071948 0.3596715255
2345 NaN 0.3350995332 0.3395432373
3283 NaN 0.3124126183 0.3153898664
4221 NaN 0.2988253031 0.3013054871
EOD
$panel1_line3 << EOD
469 0.7249698734 0.6975821559 0.752357591
1407 0.3489432205 0.335742824 0.3621436169
2345 0.31249895 0.3006189394 0.3243789607
3283 0.2945271364 0.2832790194 0.3057752533
4221 0.2831417784 0.2724489433 0.2938346135
EOD
$panel1_band3 << EOD
469 NaN 0.6975821559 0.752357591
1344.969369 NaN 0.3596715255 0.3879487545
1407 NaN 0.335742824 0.3621436169
1468.401902 NaN 0.3334435987 0.3596715255
2345 NaN 0.3006189394 0.3243789607
3283 NaN 0.2832790194 0.3057752533
4221 NaN 0.2724489433 0.2938346135
EOD
$panel1_arrow0 << EOD
469 0.3479836995 0 0.01033923071 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.515in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,483 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,181 background '#ffffff'
} }
set output 'fig_mnist_inversion_curves'.'.'.format
set multiplot

reset
set lmargin at screen 0.093671232
set rmargin at screen 0.4851851852
set bmargin at screen 0.2703777336
set tmargin at screen 0.9681908549
set xrange [-187.6:4877.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2000' 2000, '4000' 4000)
set yrange [0.8943421374:0.9257823303] noextend
set ytics out nomirror scale 0.5,0 norotate ('90 %%' 0.9, '91 %%' 0.91, '92 %%' 0.92)
set label 'step' at screen 0.2894282086,0.1322067594 center front
set label 'test accuracy' at screen 0.02037037037,0.6192842942 center rotate by 90 front
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
set lmargin at screen 0.5885030864
set rmargin at screen 0.9851851852
set bmargin at screen 0.2703777336
set tmargin at screen 0.9681908549
set xrange [318.92:4371.08] noextend
set xtics out nomirror scale 0.5,0 norotate ('1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000)
set yrange [0.2697651715:0.3596715255] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.28' 0.28, '0.30' 0.3, '0.32' 0.32, '0.34' 0.34)
set label 'step' at screen 0.7868441358,0.1322067594 center front
set label 'training loss' at screen 0.5203703704,0.6192842942 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.1618232382,0.04274353877 to screen 0.1944158308,0.04274353877 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.1781195345,0.04274353877 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Linear' at screen 0.2062676826,0.04274353877 left front
set arrow from screen 0.2870563272,0.04274353877 to screen 0.3196489198,0.04274353877 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.3033526235,0.04274353877 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=9.6 ⵟ}' at screen 0.3315007716,0.04274353877 left front
set arrow from screen 0.3734182099,0.04274353877 to screen 0.4060108025,0.04274353877 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.3897145062,0.04274353877 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'Linear, symmetric start' at screen 0.4178626543,0.04274353877 left front
set arrow from screen 0.6400479038,0.04274353877 to screen 0.6726404964,0.04274353877 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.6563442001,0.04274353877 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label '{/:Normal=9.6 ⵟ}, symmetric start' at screen 0.6844923483,0.04274353877 left front
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
