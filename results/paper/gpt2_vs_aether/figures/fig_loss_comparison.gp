# Figure fig_loss_comparison, drawn by yatlab: gnuplot -c fig_loss_comparison.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
1000 2.557628398 2.547243621 2.568013176
2000 2.053836846 2.047098791 2.0605749
3000 1.872536101 1.867024224 1.878047978
4000 1.768427567 1.761372273 1.775482862
5000 1.692102785 1.685447803 1.698757767
6000 1.636133244 1.630212017 1.642054471
7000 1.595221506 1.592253433 1.59818958
8000 1.569269218 1.569269218 1.577196054
EOD
$panel0_line1 << EOD
1000 2.671031176 2.667508517 2.674553835
2000 2.39865195 2.378348281 2.418955618
3000 2.090161761 2.059735379 2.120588142
4000 1.951821994 1.928409254 1.975234735
5000 1.853968872 1.825409484 1.88252826
6000 1.782938579 1.7553652 1.810511958
7000 1.730316205 1.70453247 1.756099939
8000 1.697594641 1.671906393 1.723282889
EOD
$panel0_band1 << EOD
1000 NaN 2.667508517 2.674553835
1131.770037 NaN 2.627481495 2.639387048
1176.778294 NaN 2.613947666 2.627481495
2000 NaN 2.378348281 2.418955618
3000 NaN 2.059735379 2.120588142
4000 NaN 1.928409254 1.975234735
5000 NaN 1.825409484 1.88252826
6000 NaN 1.7553652 1.810511958
7000 NaN 1.70453247 1.756099939
8000 NaN 1.671906393 1.723282889
EOD
$panel0_line2 << EOD
0 5.568871135 5.561164045 5.576578224
1000 2.205673929 2.194691967 2.216655892
2000 1.951448541 1.946395747 1.956501335
3000 1.83067235 1.827564093 1.833780606
4000 1.743935099 1.738022467 1.749847731
5000 1.677855124 1.674156558 1.68155369
6000 1.631812519 1.628213675 1.635411364
7000 1.598494874 1.593460399 1.603529348
8000 1.582715852 1.577344272 1.588087433
EOD
$panel0_band2 << EOD
0 NaN 5.561164045 5.576578224
806.4199725 NaN 2.627481495 2.650085562
815.7050063 NaN 2.604896321 2.627481495
1000 NaN 2.194691967 2.216655892
2000 NaN 1.946395747 1.956501335
3000 NaN 1.827564093 1.833780606
4000 NaN 1.738022467 1.749847731
5000 NaN 1.674156558 1.68155369
6000 NaN 1.628213675 1.635411364
7000 NaN 1.593460399 1.603529348
8000 NaN 1.577344272 1.588087433
EOD
$panel0_line3 << EOD
0 5.54825584 5.546711427 5.549800254
1000 2.533031364 2.525382871 2.540679856
2000 2.207306693 2.148036933 2.266576453
3000 2.013738985 1.993695501 2.033782469
4000 1.906531327 1.880614117 1.932448536
5000 1.821648107 1.791586363 1.851709852
6000 1.765997157 1.740450581 1.791543733
7000 1.726800386 1.701901894 1.751698878
8000 1.706097117 1.685755517 1.726438717
EOD
$panel0_band3 << EOD
0 NaN 5.546711427 5.549800254
949.628284 NaN 2.627481495 2.64266704
957.0039983 NaN 2.612277579 2.627481495
1000 NaN 2.525382871 2.540679856
2000 NaN 2.148036933 2.266576453
3000 NaN 1.993695501 2.033782469
4000 NaN 1.880614117 1.932448536
5000 NaN 1.791586363 1.851709852
6000 NaN 1.740450581 1.791543733
7000 NaN 1.701901894 1.751698878
8000 NaN 1.685755517 1.726438717
EOD
$panel0_line4 << EOD
EOD
$panel0_line5 << EOD
EOD
$panel0_arrow0 << EOD
0 2.45226311 0 0.1543782915 0x000000
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
set yrange [1.463147117:2.627481495] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.5' 1.5, '2.0' 2, '2.5' 2.5)
set label 'step' at screen 0.5067771768,0.1641414141 center front
set label 'loss (nats per token)' at screen 0.04230769231,0.6271043771 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label '2.67–5.57' at first 172.8,2.528274224 left norotate front tc rgb '#000000'
set label '6-gram' at screen 0.8668763355,0.3062424066 left front tc rgb '#777777'
set label '5-gram' at screen 0.8668763355,0.3568371511 left front tc rgb '#777777'
set label '4-gram' at screen 0.8668763355,0.5108421991 left front tc rgb '#777777'
set label 'trigram' at screen 0.8668763355,0.7246515736 left front tc rgb '#777777'
set label 'bigram' at screen 0.8668763355,0.9278222423 left front tc rgb '#777777'
set arrow from screen 0.08699252137,0.08838383838 to screen 0.1546848291,0.08838383838 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label 'GPT-2' at screen 0.1793002137,0.08838383838 left front
set arrow from screen 0.3429186699,0.08838383838 to screen 0.4106109776,0.08838383838 nohead lc rgb '#d55e00' lw 1.1 dt 1 front
set label 'Aether' at screen 0.4352263622,0.08838383838 left front
set arrow from screen 0.6113481571,0.08838383838 to screen 0.6790404647,0.08838383838 nohead lc rgb '#444444' lw 1.1 dt 1 front
set label 'training loss' at screen 0.7036558494,0.08838383838 left front
set arrow from screen 0.3312333066,0.0361952862 to screen 0.3989256143,0.0361952862 nohead lc rgb '#444444' lw 1.1 dt 2 front
set label 'validation loss' at screen 0.4235409989,0.0361952862 left front
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band2 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band3 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     2.528804189 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     2.129405586 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.777019902 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.559918145 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.494549607 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 1  notitle, \
     $panel0_line1 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 1  notitle, \
     $panel0_line2 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 2  notitle, \
     $panel0_line3 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 2  notitle, \
     $panel0_line4 using 1:2 with lines lc rgb '#444444' lw 1.1 dt 1  notitle, \
     $panel0_line5 using 1:2 with lines lc rgb '#444444' lw 1.1 dt 2  notitle
unset multiplot
unset output
