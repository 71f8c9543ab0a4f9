# Figure fig_loss_comparison, drawn by yatlab: gnuplot -c fig_loss_comparison.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
500 2.556627753 2.548147918 2.565107588
1500 2.053421031 2.045367793 2.06147427
2500 1.874702982 1.867844922 1.881561042
3500 1.771409102 1.762585649 1.780232554
4500 1.694682606 1.685858531 1.70350668
5500 1.639405785 1.630726387 1.648085184
6500 1.600200174 1.591754753 1.608645594
7500 1.574745252 1.574745252 1.587239505
EOD
$panel0_line1 << EOD
500 2.667860224 2.664341762 2.671378685
1500 2.356915684 2.309073928 2.404757441
2500 2.035630045 1.99295254 2.078307549
3500 1.885277779 1.851291119 1.91926444
4500 1.782744221 1.748478301 1.817010141
5500 1.712786678 1.679394463 1.746178894
6500 1.663927056 1.631273367 1.696580746
7500 1.632883118 1.597981492 1.667784744
EOD
$panel0_band1 << EOD
500 NaN 2.664341762 2.671378685
727.9373286 NaN 2.578832589 2.608115892
835.3242494 NaN 2.53950357 2.578832589
1500 NaN 2.309073928 2.404757441
2500 NaN 1.99295254 2.078307549
3500 NaN 1.851291119 1.91926444
4500 NaN 1.748478301 1.817010141
5500 NaN 1.679394463 1.746178894
6500 NaN 1.631273367 1.696580746
7500 NaN 1.597981492 1.667784744
EOD
$panel0_line2 << EOD
0 5.565082596 5.554775266 5.575389925
1000 2.204639211 2.189811163 2.219467259
2000 1.947780368 1.940640865 1.954919872
3000 1.830050907 1.823812461 1.836289353
4000 1.743701736 1.735442201 1.751961271
5000 1.681239553 1.674503342 1.687975763
6000 1.635298511 1.626486275 1.644110747
7000 1.602367691 1.592560091 1.61217529
8000 1.586251591 1.576242846 1.596260336
EOD
$panel0_band2 << EOD
0 NaN 5.554775266 5.575389925
824.3296031 NaN 2.578832589 2.609285239
837.0747778 NaN 2.548418726 2.578832589
1000 NaN 2.189811163 2.219467259
2000 NaN 1.940640865 1.954919872
3000 NaN 1.823812461 1.836289353
4000 NaN 1.735442201 1.751961271
5000 NaN 1.674503342 1.687975763
6000 NaN 1.626486275 1.644110747
7000 NaN 1.592560091 1.61217529
8000 NaN 1.576242846 1.596260336
EOD
$panel0_line3 << EOD
0 5.548734137 5.54745605 5.550012223
1000 2.531310208 2.522768536 2.53985188
2000 2.155599233 2.099868219 2.211330248
3000 1.953919049 1.926448229 1.981389868
4000 1.841389187 1.80842225 1.874356123
5000 1.758023035 1.726075888 1.789970182
6000 1.698642409 1.667073254 1.730211564
7000 1.659316549 1.626131398 1.692501699
8000 1.639212523 1.607474415 1.670950632
EOD
$panel0_band3 << EOD
0 NaN 5.54745605 5.550012223
972.1061229 NaN 2.578832589 2.595840227
980.5153421 NaN 2.561800916 2.578832589
1000 NaN 2.522768536 2.53985188
2000 NaN 2.099868219 2.211330248
3000 NaN 1.926448229 1.981389868
4000 NaN 1.80842225 1.874356123
5000 NaN 1.726075888 1.789970182
6000 NaN 1.667073254 1.730211564
7000 NaN 1.626131398 1.692501699
8000 NaN 1.607474415 1.670950632
EOD
$panel0_line4 << EOD
EOD
$panel0_line5 << EOD
EOD
$panel0_arrow0 << EOD
0 2.379891333 0 0.1382890093 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.97in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,570 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,214 background '#ffffff'
} }
set output 'fig_loss_comparison'.'.'.format
set multiplot

reset
set lmargin at screen 0.1620626335
set rmargin at screen 0.8514917201
set bmargin at screen 0.2811447811
set tmargin at screen 0.9730639731
set xrange [-320:8320] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2500' 2500, '5000' 5000, '7500' 7500)
set logscale y
set yrange [1.46443593:2.578832589] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.5' 1.5, '2.0' 2, '2.5' 2.5)
set label 'step' at screen 0.5067771768,0.1641414141 center front
set label 'loss (nats per byte)' at screen 0.04230769231,0.6271043771 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label '6-gram' at screen 0.8668763355,0.3051669033 left front tc rgb '#777777'
set label '5-gram' at screen 0.8668763355,0.3578153573 left front tc rgb '#777777'
set label '4-gram' at screen 0.8668763355,0.5174800547 left front tc rgb '#777777'
set label 'trigram' at screen 0.8668763355,0.7387442492 left front tc rgb '#777777'
set label 'bigram' at screen 0.8668763355,0.9490418509 left front tc rgb '#777777'
set arrow from screen 0.08699252137,0.08838383838 to screen 0.1546848291,0.08838383838 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label 'GPT-2' at screen 0.1793002137,0.08838383838 left front
set arrow from screen 0.3429186699,0.08838383838 to screen 0.4106109776,0.08838383838 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label 'Aether' at screen 0.4352263622,0.08838383838 left front
set arrow from screen 0.6113481571,0.08838383838 to screen 0.6790404647,0.08838383838 nohead lc rgb '#444444' lw 1.1 dt 1 front
set label 'training loss' at screen 0.7036558494,0.08838383838 left front
set arrow from screen 0.3312333066,0.0361952862 to screen 0.3989256143,0.0361952862 nohead lc rgb '#444444' lw 1.101 dt 2 front
set label 'validation loss' at screen 0.4235409989,0.0361952862 left front
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band2 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band3 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     2.528663732 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     2.129112035 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.776686836 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.559200226 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.493490437 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 1  notitle, \
     $panel0_line1 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 1  notitle, \
     $panel0_line2 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 2  notitle, \
     $panel0_line3 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 2  notitle, \
     $panel0_line4 using 1:2 with lines lc rgb '#444444' lw 1.1 dt 1  notitle, \
     $panel0_line5 using 1:2 with lines lc rgb '#444444' lw 1.1 dt 2  notitle
unset multiplot
unset output
