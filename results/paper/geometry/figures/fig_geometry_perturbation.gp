# Figure fig_geometry_perturbation, drawn by yatlab: gnuplot -c fig_geometry_perturbation.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0.001 0.000290005957 NaN NaN
0.003 0.0008697102051 NaN NaN
0.01 0.002898493959 NaN NaN
0.03 0.008766214197 NaN NaN
0.1 0.02895860607 NaN NaN
0.3 0.08373802094 NaN NaN
1 0.2257397035 NaN NaN
EOD
$panel0_line1 << EOD
0.001 0.0009772832094 NaN NaN
0.003 0.002889869572 NaN NaN
0.01 0.009492573308 NaN NaN
0.03 0.02939411696 NaN NaN
0.1 0.0959100739 NaN NaN
0.3 0.2828166421 NaN NaN
1 0.976806373 NaN NaN
EOD
$panel0_line2 << EOD
0.001 0.001 NaN NaN
0.003 0.003 NaN NaN
0.01 0.01 NaN NaN
0.03 0.03 NaN NaN
0.1 0.1 NaN NaN
0.3 0.3 NaN NaN
1 0.9999999998 NaN NaN
EOD
$panel1_line0 << EOD
0.001 0.0007645271626 NaN NaN
0.003 0.002291191943 NaN NaN
0.01 0.007600124343 NaN NaN
0.03 0.02290437952 NaN NaN
0.1 0.07368919336 NaN NaN
0.3 0.201601504 NaN NaN
1 0.4920380201 NaN NaN
EOD
$panel1_line1 << EOD
0.001 0.003105067989 NaN NaN
0.003 0.009598145602 NaN NaN
0.01 0.03349806603 NaN NaN
0.03 0.09519012433 NaN NaN
0.1 0.30147872 NaN NaN
0.3 0.8648702878 NaN NaN
1 2.303008109 NaN NaN
EOD
$panel1_line2 << EOD
0.001 0.003998984225 NaN NaN
0.003 0.01199095053 NaN NaN
0.01 0.03989989485 NaN NaN
0.03 0.1190991779 NaN NaN
0.1 0.3899992682 NaN NaN
0.3 1.109983233 NaN NaN
1 2.999999157 NaN NaN
EOD
$panel2_line0 << EOD
0.001 0.0001242877257 NaN NaN
0.003 0.0003704452197 NaN NaN
0.01 0.001235880526 NaN NaN
0.03 0.003722817319 NaN NaN
0.1 0.01198369077 NaN NaN
0.3 0.03556388389 NaN NaN
1 0.0884203634 NaN NaN
EOD
$panel2_line1 << EOD
0.001 0.007021064112 NaN NaN
0.003 0.01933917187 NaN NaN
0.01 0.1366941589 NaN NaN
0.03 0.4565399742 NaN NaN
0.1 0.6487102187 NaN NaN
0.3 2.425320281 NaN NaN
1 5.572809361 NaN NaN
EOD
$panel2_line2 << EOD
0.001 0.02976911966 NaN NaN
0.003 0.08930579096 NaN NaN
0.01 0.2976250225 NaN NaN
0.03 0.8912689692 NaN NaN
0.1 2.911504474 NaN NaN
0.3 7.421052632 NaN NaN
1 9.999978663 NaN NaN
EOD
$panel2_line3 << EOD
0.001 0.42 NaN NaN
0.003 1.26 NaN NaN
0.01 4.2 NaN NaN
0.03 12.6 NaN NaN
0.1 42 NaN NaN
0.3 126 NaN NaN
1 420 NaN NaN
EOD
$panel3_line0 << EOD
0.001 6.190186913e-05 NaN NaN
0.003 0.0001832128839 NaN NaN
0.01 0.0006151115692 NaN NaN
0.03 0.001839790809 NaN NaN
0.1 0.0060020608 NaN NaN
0.3 0.01752015349 NaN NaN
1 0.04414736012 NaN NaN
EOD
$panel3_line1 << EOD
0.001 0.001237666692 NaN NaN
0.003 0.003576385993 NaN NaN
0.01 0.01522514611 NaN NaN
0.03 0.03652422684 NaN NaN
0.1 0.1048457471 NaN NaN
0.3 0.3060713398 NaN NaN
1 0.813757965 NaN NaN
EOD
$panel3_line2 << EOD
0.001 0.001999969105 NaN NaN
0.003 0.00599990446 NaN NaN
0.01 0.01999718546 NaN NaN
0.03 0.0599397195 NaN NaN
0.1 0.1979668073 NaN NaN
0.3 0.5504587156 NaN NaN
1 0.9999967357 NaN NaN
EOD
$panel3_line3 << EOD
0.001 0.006 NaN NaN
0.003 0.018 NaN NaN
0.01 0.06 NaN NaN
0.03 0.18 NaN NaN
0.1 0.6 NaN NaN
0.3 1.8 NaN NaN
1 6 NaN NaN
EOD
$panel4_line0 << EOD
0.001 0.0003088851119 NaN NaN
0.003 0.0009268179673 NaN NaN
0.01 0.003078663624 NaN NaN
0.03 0.009324068384 NaN NaN
0.1 0.03091950876 NaN NaN
0.3 0.0906993217 NaN NaN
1 0.2390878095 NaN NaN
EOD
$panel4_line1 << EOD
0.001 0.001680796024 NaN NaN
0.003 0.007471462427 NaN NaN
0.01 0.02871968311 NaN NaN
0.03 0.0612160775 NaN NaN
0.1 0.1561055341 NaN NaN
0.3 0.4904299175 NaN NaN
1 1.42960179 NaN NaN
EOD
$panel4_line2 << EOD
0.001 1.999439133 NaN NaN
0.003 1.999946939 NaN NaN
0.01 1.999999998 NaN NaN
0.03 2 NaN NaN
0.1 1.999999999 NaN NaN
0.3 1.999999999 NaN NaN
1 2 NaN NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,6.85in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,1315 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,493 background '#ffffff'
} }
set output 'fig_geometry_perturbation'.'.'.format
set multiplot

reset
set lmargin at screen 0.09221000514
set rmargin at screen 0.4851851852
set bmargin at screen 0.7450121655
set tmargin at screen 0.9642335766
set label 'Dot product' at screen 0.2886975952,0.9843065693 center front
set logscale x
set xrange [0.000758577575:1.318256739] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set logscale y
set yrange [0.0002093645729:1.385172061] noextend
set ytics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set label 'perturbation δ' at screen 0.2886975952,0.6942822384 center front
set label '|ΔK|' at screen 0.02037037037,0.854622871 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle

reset
set lmargin at screen 0.5922100051
set rmargin at screen 0.9851851852
set bmargin at screen 0.7450121655
set tmargin at screen 0.9642335766
set label 'Euclidean, −‖x − w‖²' at screen 0.7886975952,0.9843065693 center front
set logscale x
set xrange [0.000758577575:1.318256739] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set logscale y
set yrange [0.0005490903249:4.177055649] noextend
set ytics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set label 'perturbation δ' at screen 0.7886975952,0.6942822384 center front
set label '|ΔK|' at screen 0.5203703704,0.854622871 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel1_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel1_line1 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel1_line2 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle

reset
set lmargin at screen 0.09221000514
set rmargin at screen 0.4851851852
set bmargin at screen 0.4221411192
set tmargin at screen 0.6413625304
set label '{/:Normal=9.6 ⵟ}, ε = 0.1' at screen 0.2886975952,0.6614355231 center front
set logscale x
set xrange [0.000758577575:1.318256739] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set logscale y
set yrange [6.812011919e-05:766.3058348] noextend
set ytics out nomirror scale 0.5,0 norotate ('10^{−4}' 0.0001, '10^{−2}' 0.01, '1' 1, '10^{2}' 100)
set label 'perturbation δ' at screen 0.2886975952,0.3714111922 center front
set label '|ΔK|' at screen 0.02037037037,0.5317518248 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel2_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel2_line1 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel2_line2 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel2_line3 using 1:2 with lines lc rgb '#000000' lw 1.1 dt 2  notitle

reset
set lmargin at screen 0.5922100051
set rmargin at screen 0.9851851852
set bmargin at screen 0.4221411192
set tmargin at screen 0.6413625304
set label '{/:Normal=9.6 ⵟ}, ε = 1' at screen 0.7886975952,0.6614355231 center front
set logscale x
set xrange [0.000758577575:1.318256739] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set logscale y
set yrange [3.910622217e-05:9.497496669] noextend
set ytics out nomirror scale 0.5,0 norotate ('10^{−4}' 0.0001, '10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set label 'perturbation δ' at screen 0.7886975952,0.3714111922 center front
set label '|ΔK|' at screen 0.5203703704,0.5317518248 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel3_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel3_line1 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel3_line2 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel3_line3 using 1:2 with lines lc rgb '#000000' lw 1.1 dt 2  notitle

reset
set lmargin at screen 0.09221000514
set rmargin at screen 0.4851851852
set bmargin at screen 0.09927007299
set tmargin at screen 0.3184914842
set label 'Cosine' at screen 0.2886975952,0.3385644769 center front
set logscale x
set xrange [0.000758577575:1.318256739] noextend
set xtics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set logscale y
set yrange [0.0002174441135:2.841052874] noextend
set ytics out nomirror scale 0.5,0 norotate ('10^{−3}' 0.001, '10^{−2}' 0.01, '10^{−1}' 0.1, '1' 1)
set label 'perturbation δ' at screen 0.2886975952,0.04854014599 center front
set label '|ΔK|' at screen 0.02037037037,0.2088807786 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.0637273341,0.01569343066 to screen 0.0963199267,0.01569343066 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.0800236304,0.01569343066 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'random, mean' at screen 0.1081717785,0.01569343066 left front
set arrow from screen 0.25879067,0.01569343066 to screen 0.2913832626,0.01569343066 nohead lc rgb '#e69f00' lw 1.101 dt 1 front
set label '' at screen 0.2750869663,0.01569343066 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'random, largest' at screen 0.3032351145,0.01569343066 left front
set arrow from screen 0.4642063722,0.01569343066 to screen 0.4967989648,0.01569343066 nohead lc rgb '#d55e00' lw 1.1 dt 1 front
set label '' at screen 0.4805026685,0.01569343066 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'worst found by search' at screen 0.5086508166,0.01569343066 left front
set arrow from screen 0.7217214828,0.01569343066 to screen 0.7543140754,0.01569343066 nohead lc rgb '#000000' lw 1.101 dt 2 front
set label 'bound (2/ε + 4/ε²) δ' at screen 0.7661659272,0.01569343066 left front
plot $panel4_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel4_line1 using 1:2 with linespoints lc rgb '#e69f00' lw 1.1 dt 1 pt 15 ps 0.45 notitle, \
     $panel4_line2 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle
unset multiplot
unset output
