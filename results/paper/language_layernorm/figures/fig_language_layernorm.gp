# Figure fig_language_layernorm, drawn by yatlab: gnuplot -c fig_language_layernorm.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 5.548255889 5.546711433 5.549800345
1000 2.533936673 2.524098191 2.543775155
2000 2.157430139 2.06987152 2.244988757
3000 1.953748251 1.912341909 1.995154593
4000 1.83870453 1.794380744 1.883028316
5000 1.757194451 1.717066053 1.797322849
6000 1.701771154 1.657425021 1.746117286
7000 1.663444473 1.639817478 1.705851655
8000 1.643197456 1.639817478 1.683503858
EOD
$panel0_band0 << EOD
0 NaN 5.546711433 5.549800345
862.8096996 NaN 2.812002048 2.831122154
871.4962029 NaN 2.792836183 2.812002048
1000 NaN 2.524098191 2.543775155
2000 NaN 2.06987152 2.244988757
3000 NaN 1.912341909 1.995154593
4000 NaN 1.794380744 1.883028316
5000 NaN 1.717066053 1.797322849
6000 NaN 1.657425021 1.746117286
7000 NaN 1.639817478 1.705851655
8000 NaN 1.639817478 1.683503858
EOD
$panel0_line1 << EOD
0 5.559193313 5.524169982 5.594216643
1000 2.293448082 2.284326922 2.302569242
2000 2.031563677 2.023940489 2.039186865
3000 1.88562036 1.864748308 1.906492412
4000 1.797439138 1.77795755 1.816920725
5000 1.730113198 1.710837192 1.749389203
6000 1.686435057 1.665057957 1.707812157
7000 1.654508299 1.639817478 1.67543839
8000 1.639817478 1.639817478 1.658572919
EOD
$panel0_band1 << EOD
0 NaN 5.524169982 5.594216643
764.6536918 NaN 2.812002048 2.837559369
774.8457884 NaN 2.786806881 2.812002048
1000 NaN 2.284326922 2.302569242
2000 NaN 2.023940489 2.039186865
3000 NaN 1.864748308 1.906492412
4000 NaN 1.77795755 1.816920725
5000 NaN 1.710837192 1.749389203
6000 NaN 1.665057957 1.707812157
7000 NaN 1.639817478 1.67543839
8000 NaN 1.639817478 1.658572919
EOD
$panel0_line2 << EOD
0 5.568950486 5.565096101 5.572804871
1000 2.49197287 2.457379632 2.526566107
2000 2.126990485 2.006232936 2.247748035
3000 1.956430989 1.846406411 2.066455567
4000 1.853877213 1.762616954 1.945137472
5000 1.776107729 1.67730077 1.874914688
6000 1.722820981 1.639817478 1.820328361
7000 1.68763324 1.639817478 1.782182588
8000 1.668567278 1.639817478 1.758052487
EOD
$panel0_band2 << EOD
0 NaN 5.565096101 5.572804871
835.0892676 NaN 2.812002048 2.878621878
864.6895916 NaN 2.744779778 2.812002048
1000 NaN 2.457379632 2.526566107
2000 NaN 2.006232936 2.247748035
3000 NaN 1.846406411 2.066455567
4000 NaN 1.762616954 1.945137472
5000 NaN 1.67730077 1.874914688
6000 NaN 1.639817478 1.820328361
7000 NaN 1.639817478 1.782182588
8000 NaN 1.639817478 1.758052487
EOD
$panel0_arrow0 << EOD
0 2.615954202 0 0.1726972067 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.67in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,513 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,192 background '#ffffff'
} }
set output 'fig_language_layernorm'.'.'.format
set multiplot

reset
set lmargin at screen 0.1838141026
set rmargin at screen 0.8514917201
set bmargin at screen 0.3127340824
set tmargin at screen 0.9700374532
set xrange [-320:8320] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '5000' 5000)
set logscale y
set yrange [1.525614241:2.812002048] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.75' 1.75, '2.00' 2, '2.25' 2.25, '2.50' 2.5, '2.75' 2.75)
set label 'step' at screen 0.5176529113,0.1825842697 center front
set label 'validation loss' at screen 0.04230769231,0.6413857678 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '5.55–5.57' at first 172.8,2.700922873 left norotate front tc rgb '#000000' boxed
set label '5-gram' at screen 0.8668763355,0.3366359048 left front tc rgb '#777777'
set label '4-gram' at screen 0.8668763355,0.4767006288 left front tc rgb '#777777'
set label 'trigram' at screen 0.8668763355,0.6711562744 left front tc rgb '#777777'
set arrow from screen 0.04073517628,0.09831460674 to screen 0.108427484,0.09831460674 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.07458133013,0.09831460674 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Aether (no LayerNorm)' at screen 0.1330428686,0.09831460674 left front
set arrow from screen 0.589329594,0.09831460674 to screen 0.6570219017,0.09831460674 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.6231757479,0.09831460674 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'Aether + Pre-LN' at screen 0.6816372863,0.09831460674 left front
set arrow from screen 0.3065104167,0.04026217228 to screen 0.3742027244,0.04026217228 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.3403565705,0.04026217228 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'Aether + Post-LN' at screen 0.398818109,0.04026217228 left front
plot $panel0_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band2 using 1:3:4 with filledcurves fc rgb '#009e73' fs transparent solid 0.18 noborder notitle, \
     2.129405586 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.777019902 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.559918145 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle
unset multiplot
unset output
