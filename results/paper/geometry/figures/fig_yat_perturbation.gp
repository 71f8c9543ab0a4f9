# Figure fig_yat_perturbation, drawn by yatlab: gnuplot -c fig_yat_perturbation.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0.001 0.0001242877257 NaN NaN
0.003 0.0003704452197 NaN NaN
0.01 0.001235880526 NaN NaN
0.03 0.003722817319 NaN NaN
0.1 0.01198369077 NaN NaN
0.3 0.03556388389 NaN NaN
1 0.0884203634 NaN NaN
EOD
$panel0_line1 << EOD
0.001 0.007021064112 NaN NaN
0.003 0.01933917187 NaN NaN
0.01 0.1366941589 NaN NaN
0.03 0.4565399742 NaN NaN
0.1 0.6487102187 NaN NaN
0.3 2.425320281 NaN NaN
1 5.572809361 NaN NaN
EOD
$panel0_line2 << EOD
0.001 0.02976911966 NaN NaN
0.003 0.08930579096 NaN NaN
0.01 0.2976250225 NaN NaN
0.03 0.8912689692 NaN NaN
0.1 2.911504474 NaN NaN
0.3 7.421052632 NaN NaN
1 9.999978663 NaN NaN
EOD
$panel0_line3 << EOD
0.001 0.42 NaN NaN
0.003 1.26 NaN NaN
0.01 4.2 NaN NaN
0.03 12.6 NaN NaN
0.1 42 NaN NaN
0.3 126 NaN NaN
1 420 NaN NaN
EOD
$panel1_line0 << EOD
0.001 6.190186913e-05 NaN NaN
0.003 0.0001832128839 NaN NaN
0.01 0.0006151115692 NaN NaN
0.03 0.001839790809 NaN NaN
0.1 0.0060020608 NaN NaN
0.3 0.01752015349 NaN NaN
1 0.04414736012 NaN NaN
EOD
$panel1_line1 << EOD
0.001 0.001237666692 NaN NaN
0.003 0.003576385993 NaN NaN
0.01 0.01522514611 NaN NaN
0.03 0.03652422684 NaN NaN
0.1 0.1048457471 NaN NaN
0.3 0.3060713398 NaN NaN
1 0.813757965 NaN NaN
EOD
$panel1_line2 << EOD
0.001 0.001999969105 NaN NaN
0.003 0.00599990446 NaN NaN
0.01 0.01999718546 NaN NaN
0.03 0.0599397195 NaN NaN
0.1 0.1979668073 NaN NaN
0.3 0.5504587156 NaN NaN
1 0.9999967357 NaN NaN
EOD
$panel1_line3 << EOD
0.001 0.006 NaN NaN
0.003 0.018 NaN NaN
0.01 0.06 NaN NaN
0.03 0.18 NaN NaN
0.1 0.6 NaN NaN
0.3 1.8 NaN NaN
1 6 NaN NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.45in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,470 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,176 background '#ffffff'
} }
set output 'fig_yat_perturbation'.'.'.format
set multiplot

reset
set lmargin at screen 0.09221000514
set rmargin at screen 0.4851851852
set bmargin at screen 0.2775510204
set tmargin at screen 0.9
set label '{/:Normal=9.6 ⵟ}, ε = 0.1' at screen 0.2886975952,0.956122449 center front
set logscale x
set xrange [0.000758577575:1.318256739] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set logscale y
set yrange [6.812011919e-05:766.3058348] noextend
set ytics out nomirror scale 0.5,0 norotate ('10^{−4}' 0.0001, '10^{−2}' 0.01, '1' 1, '10^{2}' 100)
set label 'perturbation δ' at screen 0.2886975952,0.1357142857 center front
set label '|ΔK|' at screen 0.02037037037,0.5887755102 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel0_line3 using 1:2 with lines lc rgb '#000000' lw 1.1 dt 2  notitle

reset
set lmargin at screen 0.5922100051
set rmargin at screen 0.9851851852
set bmargin at screen 0.2775510204
set tmargin at screen 0.9
set label '{/:Normal=9.6 ⵟ}, ε = 1' at screen 0.7886975952,0.956122449 center front
set logscale x
set xrange [0.000758577575:1.318256739] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set logscale y
set yrange [3.910622217e-05:9.497496669] noextend
set ytics out nomirror scale 0.5,0 norotate ('10^{−4}' 0.0001, '10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set label 'perturbation δ' at screen 0.7886975952,0.1357142857 center front
set label '|ΔK|' at screen 0.5203703704,0.5887755102 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.0637273341,0.04387755102 to screen 0.0963199267,0.04387755102 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.0800236304,0.04387755102 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'random, mean' at screen 0.1081717785,0.04387755102 left front
set arrow from screen 0.25879067,0.04387755102 to screen 0.2913832626,0.04387755102 nohead lc rgb '#e69f00' lw 1.101 dt 1 front
set label '' at screen 0.2750869663,0.04387755102 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'random, largest' at screen 0.3032351145,0.04387755102 left front
set arrow from screen 0.4642063722,0.04387755102 to screen 0.4967989648,0.04387755102 nohead lc rgb '#d55e00' lw 1.1 dt 1 front
set label '' at screen 0.4805026685,0.04387755102 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'worst found by search' at screen 0.5086508166,0.04387755102 left front
set arrow from screen 0.7217214828,0.04387755102 to screen 0.7543140754,0.04387755102 nohead lc rgb '#000000' lw 1.101 dt 2 front
set label 'bound (2/ε + 4/ε²) δ' at screen 0.7661659272,0.04387755102 left front
plot $panel1_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel1_line1 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel1_line2 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel1_line3 using 1:2 with lines lc rgb '#000000' lw 1.1 dt 2  notitle
unset multiplot
unset output
