# Figure fig_slay_eurlex, drawn by yatlab: gnuplot -c fig_slay_eurlex.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
-0.16 0.557469152 0.5480569491 0.5668813549
0.84 0.6506694671 0.6424537229 0.6588852112
EOD
$panel0_line1 << EOD
-0.08 0.3502231557 0.3272478718 0.3731984395
0.92 0.4538199002 0.435173737 0.4724660634
EOD
$panel0_line2 << EOD
0 0.4005775794 0.3689611036 0.4321940552
1 0.6440535574 0.6396432635 0.6484638513
EOD
$panel0_line3 << EOD
0.08 0.3663953794 0.3461591418 0.3866316169
1.08 0.6346022578 0.6307375338 0.6384669818
EOD
$panel0_line4 << EOD
0.16 0.3155158834 0.3060401849 0.3249915819
1.16 0.5233394592 0.5208035725 0.5258753459
EOD
$panel1_line0 << EOD
-0.16 0.8903510836 0.8752324579 0.9054697092
0.84 1.119221852 1.107425116 1.131018588
EOD
$panel1_line1 << EOD
-0.08 0.5166916831 0.4828016923 0.550581674
0.92 0.7104501681 0.6851001387 0.7358001976
EOD
$panel1_line2 << EOD
0 0.6189855202 0.5574592045 0.680511836
1 1.06602672 1.063307064 1.068746375
EOD
$panel1_line3 << EOD
0.08 0.5714527386 0.5298032434 0.6131022338
1.08 1.08631491 1.073852475 1.098777344
EOD
$panel1_line4 << EOD
0.16 0.4385949358 0.4223942111 0.4547956604
1.16 0.8079030055 0.8046876093 0.8111184016
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.4in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,461 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,173 background '#ffffff'
} }
set output 'fig_slay_eurlex'.'.'.format
set multiplot

reset
set lmargin at screen 0.093671232
set rmargin at screen 0.4851851852
set bmargin at screen 0.2833333333
set tmargin at screen 0.9666666667
set xrange [-0.5:1.5] noextend
set xtics out nomirror scale 0.5,0 norotate ('3' 0, '10' 1)
set yrange [0.2919263839:0.6729990122] noextend
set ytics out nomirror scale 0.5,0 norotate ('30 %%' 0.3, '40 %%' 0.4, '50 %%' 0.5, '60 %%' 0.6)
set label 'epochs' at screen 0.2894282086,0.1385416667 center front
set label 'P\@1' at screen 0.02037037037,0.625 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel0_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel0_line0 using 1:2 with points lc rgb '#0072b2' lw 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 1.1 notitle, \
     $panel0_line1 using 1:2 with points lc rgb '#d55e00' lw 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#009e73' lw 1.1 notitle, \
     $panel0_line2 using 1:2 with points lc rgb '#009e73' lw 1 pt 9 ps 0.45 notitle, \
     $panel0_line3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#cc79a7' lw 1.1 notitle, \
     $panel0_line3 using 1:2 with points lc rgb '#cc79a7' lw 1 pt 11 ps 0.45 notitle, \
     $panel0_line4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#e69f00' lw 1.1 notitle, \
     $panel0_line4 using 1:2 with points lc rgb '#e69f00' lw 1 pt 15 ps 0.45 notitle

reset
set lmargin at screen 0.5780301569
set rmargin at screen 0.9851851852
set bmargin at screen 0.2833333333
set tmargin at screen 0.9666666667
set xrange [-0.5:1.5] noextend
set xtics out nomirror scale 0.5,0 norotate ('3' 0, '10' 1)
set yrange [0.394049236:1.159363563] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1.0' 1)
set label 'epochs' at screen 0.781607671,0.1385416667 center front
set label 'PSP\@1, not normalised' at screen 0.5203703704,0.625 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label '' at screen 0.1778141075,0.04479166667 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'SLAY' at screen 0.2059622557,0.04479166667 left front
set label '' at screen 0.2928234311,0.04479166667 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'Performer' at screen 0.3209715792,0.04479166667 left front
set label '' at screen 0.4492824074,0.04479166667 point pt 9 ps 0.45 lc rgb '#009e73' front
set label '{/:Normal=9.6 ⵟ}' at screen 0.4774305556,0.04479166667 left front
set label '' at screen 0.5356442901,0.04479166667 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label '{/:Normal=9.6 ⵟ} on the sphere' at screen 0.5637924383,0.04479166667 left front
set label '' at screen 0.7417013889,0.04479166667 point pt 15 ps 0.45 lc rgb '#e69f00' front
set label 'Softmax' at screen 0.769849537,0.04479166667 left front
plot $panel1_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel1_line0 using 1:2 with points lc rgb '#0072b2' lw 1 pt 7 ps 0.45 notitle, \
     $panel1_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 1.1 notitle, \
     $panel1_line1 using 1:2 with points lc rgb '#d55e00' lw 1 pt 5 ps 0.45 notitle, \
     $panel1_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#009e73' lw 1.1 notitle, \
     $panel1_line2 using 1:2 with points lc rgb '#009e73' lw 1 pt 9 ps 0.45 notitle, \
     $panel1_line3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#cc79a7' lw 1.1 notitle, \
     $panel1_line3 using 1:2 with points lc rgb '#cc79a7' lw 1 pt 11 ps 0.45 notitle, \
     $panel1_line4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#e69f00' lw 1.1 notitle, \
     $panel1_line4 using 1:2 with points lc rgb '#e69f00' lw 1 pt 15 ps 0.45 notitle
unset multiplot
unset output
