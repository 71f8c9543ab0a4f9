# Figure fig_sweep_importance, drawn by yatlab: gnuplot -c fig_sweep_importance.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_bar0 << EOD
0 0.4609261973 NaN NaN 0x0072b2
1 0.4530723569 NaN NaN 0x0072b2
2 0.0009336974865 NaN NaN 0x0072b2
EOD
$panel1_bar0 << EOD
0 0.7482874286 NaN NaN 0x0072b2
1 0.2205086407 NaN NaN 0x0072b2
2 0.0002612379334 NaN NaN 0x0072b2
EOD
$panel2_bar0 << EOD
0 0.557549738 NaN NaN 0x0072b2
1 0.4125931045 NaN NaN 0x0072b2
2 0.0002421690656 NaN NaN 0x0072b2
EOD
$panel3_bar0 << EOD
0 0.7403248131 NaN NaN 0x0072b2
1 0.2333530684 NaN NaN 0x0072b2
2 0.0002248309671 NaN NaN 0x0072b2
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,4.6in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,883 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,331 background '#ffffff'
} }
set output 'fig_sweep_importance'.'.'.format
set multiplot

reset
set lmargin at screen 0.1041441615
set rmargin at screen 0.4851851852
set bmargin at screen 0.5630434783
set tmargin at screen 0.9467391304
set label 'Linear' at screen 0.2946646734,0.9766304348 center front
set xrange [-0.6:2.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('pixels' 0, 'init' 1, 'bias' 2)
set yrange [0:1] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '25 %%' 0.25, '50 %%' 0.5, '75 %%' 0.75, '100 %%' 1)
set label 'share of the variance' at screen 0.02037037037,0.7548913043 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel0_bar0 using 1:2:(0.7):5 with boxes fs solid 0.9 noborder lc rgb variable notitle

reset
set lmargin at screen 0.6041441615
set rmargin at screen 0.9851851852
set bmargin at screen 0.5630434783
set tmargin at screen 0.9467391304
set label '{/:Normal=9.6 ⵟ}, (√n/log(1+n))\^α' at screen 0.7946646734,0.9766304348 center front
set xrange [-0.6:2.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('pixels' 0, 'init' 1, 'bias' 2)
set yrange [0:1] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '25 %%' 0.25, '50 %%' 0.5, '75 %%' 0.75, '100 %%' 1)
set label 'share of the variance' at screen 0.5203703704,0.7548913043 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel1_bar0 using 1:2:(0.7):5 with boxes fs solid 0.9 noborder lc rgb variable notitle

reset
set lmargin at screen 0.1041441615
set rmargin at screen 0.4851851852
set bmargin at screen 0.06304347826
set tmargin at screen 0.4467391304
set label '{/:Normal=9.6 ⵟ}, (n/log(1+n))\^α' at screen 0.2946646734,0.4766304348 center front
set xrange [-0.6:2.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('pixels' 0, 'init' 1, 'bias' 2)
set yrange [0:1] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '25 %%' 0.25, '50 %%' 0.5, '75 %%' 0.75, '100 %%' 1)
set label 'share of the variance' at screen 0.02037037037,0.2548913043 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel2_bar0 using 1:2:(0.7):5 with boxes fs solid 0.9 noborder lc rgb variable notitle

reset
set lmargin at screen 0.6041441615
set rmargin at screen 0.9851851852
set bmargin at screen 0.06304347826
set tmargin at screen 0.4467391304
set label '{/:Normal=9.6 ⵟ}, α' at screen 0.7946646734,0.4766304348 center front
set xrange [-0.6:2.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('pixels' 0, 'init' 1, 'bias' 2)
set yrange [0:1] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '25 %%' 0.25, '50 %%' 0.5, '75 %%' 0.75, '100 %%' 1)
set label 'share of the variance' at screen 0.5203703704,0.2548913043 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel3_bar0 using 1:2:(0.7):5 with boxes fs solid 0.9 noborder lc rgb variable notitle
unset multiplot
unset output
