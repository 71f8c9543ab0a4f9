# Figure fig_mnist_similarity_yat, drawn by yatlab: gnuplot -c fig_mnist_similarity_yat.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 9 NaN
1 9 53.96308861
2 9 69.56581287
3 9 68.1685033
4 9 61.05601531
5 9 64.08711086
6 9 69.49267261
7 9 62.09748052
8 9 70.20811537
9 9 63.85238406
0 8 53.96308861
1 8 NaN
2 8 60.25274203
3 8 58.21373473
4 8 52.81155132
5 8 50.59079861
6 8 54.40002846
7 8 49.56525023
8 8 58.46094099
9 8 53.84749881
0 7 69.56581287
1 7 60.25274203
2 7 NaN
3 7 71.09843745
4 7 58.48959798
5 7 63.20033876
6 7 64.84439345
7 7 54.40763274
8 7 67.36875322
9 7 58.32487517
0 6 68.1685033
1 6 58.21373473
2 6 71.09843745
3 6 NaN
4 6 60.04411213
5 6 68.29977429
6 6 64.66641243
7 6 64.91192409
8 6 70.95956126
9 6 65.62814345
0 5 61.05601531
1 5 52.81155132
2 5 58.48959798
3 5 60.04411213
4 5 NaN
5 5 60.59555055
6 5 61.6908223
7 5 57.87390116
8 5 67.60857294
9 5 62.62423238
0 4 64.08711086
1 4 50.59079861
2 4 63.20033876
3 4 68.29977429
4 4 60.59555055
5 4 NaN
6 4 59.72837795
7 4 56.95995107
8 4 72.66100402
9 4 61.03046855
0 3 69.49267261
1 3 54.40002846
2 3 64.84439345
3 3 64.66641243
4 3 61.6908223
5 3 59.72837795
6 3 NaN
7 3 56.08615614
8 3 67.03298583
9 3 60.75615665
0 2 62.09748052
1 2 49.56525023
2 2 54.40763274
3 2 64.91192409
4 2 57.87390116
5 2 56.95995107
6 2 56.08615614
7 2 NaN
8 2 61.7364972
9 2 67.94558089
0 1 70.20811537
1 1 58.46094099
2 1 67.36875322
3 1 70.95956126
4 1 67.60857294
5 1 72.66100402
6 1 67.03298583
7 1 61.7364972
8 1 NaN
9 1 68.75149831
0 0 63.85238406
1 0 53.84749881
2 0 58.32487517
3 0 65.62814345
4 0 62.62423238
5 0 61.03046855
6 0 60.75615665
7 0 67.94558089
8 0 68.75149831
9 0 NaN
EOD
$panel1_heat0 << EOD
0 9 NaN
1 9 30.7266608
2 9 44.1053338
3 9 45.49050238
4 9 36.66094069
5 9 37.89430964
6 9 43.81583066
7 9 36.59921822
8 9 46.77949913
9 9 40.18654938
0 8 30.7266608
1 8 NaN
2 8 32.57003719
3 8 33.12139548
4 8 27.03648704
5 8 25.50474764
6 8 29.2440388
7 8 24.9069943
8 8 33.21086928
9 8 28.89450937
0 7 44.1053338
1 7 32.57003719
2 7 NaN
3 7 45.04223184
4 7 33.34084898
5 7 35.47689343
6 7 38.81390498
7 7 30.44251511
8 7 42.6137382
9 7 34.84819506
0 6 45.49050238
1 6 33.12139548
2 6 45.04223184
3 6 NaN
4 6 36.02551272
5 6 40.35405401
6 6 40.74134845
7 6 38.2284692
8 6 47.24368555
9 6 41.27226609
0 5 36.66094069
1 5 27.03648704
2 5 33.34084898
3 5 36.02551272
4 5 NaN
5 5 32.21415995
6 5 34.97158879
7 5 30.66785181
8 5 40.5016569
9 5 35.43633383
0 4 37.89430964
1 4 25.50474764
2 4 35.47689343
3 4 40.35405401
4 4 32.21415995
5 4 NaN
6 4 33.34292411
7 4 29.72339169
8 4 42.86477763
9 4 34.00801098
0 3 43.81583066
1 3 29.2440388
2 3 38.81390498
3 3 40.74134845
4 3 34.97158879
5 3 33.34292411
6 3 NaN
7 3 31.20851921
8 3 42.16736603
9 3 36.10052769
0 2 36.59921822
1 2 24.9069943
2 2 30.44251511
3 2 38.2284692
4 2 30.66785181
5 2 29.72339169
6 2 31.20851921
7 2 NaN
8 2 36.30242928
9 2 37.73898945
0 1 46.77949913
1 1 33.21086928
2 1 42.6137382
3 1 47.24368555
4 1 40.5016569
5 1 42.86477763
6 1 42.16736603
7 1 36.30242928
8 1 NaN
9 1 43.16995952
0 0 40.18654938
1 0 28.89450937
2 0 34.84819506
3 0 41.27226609
4 0 35.43633383
5 0 34.00801098
6 0 36.10052769
7 0 37.73898945
8 0 43.16995952
9 0 NaN
EOD
$panel2_heat0 << EOD
0 9 NaN
1 9 -53.87793452
2 9 -38.76246232
3 9 -42.4839057
4 9 -47.44770893
5 9 -43.34748842
6 9 -38.6790153
7 9 -45.59991842
8 9 -39.70087894
9 9 -45.72183564
0 8 -53.87793452
1 8 NaN
2 8 -43.59632688
3 8 -48.98539085
4 8 -48.45988758
5 8 -49.88988378
6 8 -49.58587038
7 8 -50.7476376
8 8 -48.60140998
9 8 -50.06918699
0 7 -38.76246232
1 7 -43.59632688
2 7 NaN
3 7 -36.78559192
4 7 -47.49303749
5 7 -41.58746598
6 7 -42.0880118
7 7 -51.31846977
8 7 -41.43754594
9 7 -49.80368942
0 6 -42.4839057
1 6 -48.98539085
2 6 -36.78559192
3 6 NaN
4 6 -48.61549054
5 6 -38.32492536
6 6 -44.72490541
7 6 -42.23834214
8 6 -38.66943178
9 6 -43.44732789
0 5 -47.44770893
1 5 -48.45988758
2 5 -47.49303749
3 5 -48.61549054
4 5 NaN
5 5 -41.90939334
6 5 -43.56910458
7 5 -44.66425676
8 5 -39.45816894
9 5 -42.42387227
0 4 -43.34748842
1 4 -49.88988378
2 4 -41.58746598
3 4 -38.32492536
4 4 -41.90939334
5 4 NaN
6 4 -45.19295133
7 4 -44.91969441
8 4 -33.09844487
9 4 -43.64703536
0 3 -38.6790153
1 3 -49.58587038
2 3 -42.0880118
3 3 -44.72490541
4 3 -43.56910458
5 3 -45.19295133
6 3 NaN
7 3 -49.12400829
8 3 -41.66783699
9 3 -46.63657086
0 2 -45.59991842
1 2 -50.7476376
2 2 -51.31846977
3 2 -42.23834214
4 2 -44.66425676
5 2 -44.91969441
6 2 -49.12400829
7 2 NaN
8 2 -45.88538871
9 2 -35.84732557
0 1 -39.70087894
1 1 -48.60140998
2 1 -41.43754594
3 1 -38.66943178
4 1 -39.45816894
5 1 -33.09844487
6 1 -41.66783699
7 1 -45.88538871
8 1 NaN
9 1 -39.44690778
0 0 -45.72183564
1 0 -50.06918699
2 0 -49.80368942
3 0 -43.44732789
4 0 -42.42387227
5 0 -43.64703536
6 0 -46.63657086
7 0 -35.84732557
8 0 -39.44690778
9 0 NaN
EOD
$panel3_heat0 << EOD
0 9 NaN
1 9 17.52345403
2 9 50.18463356
3 9 48.70986519
4 9 28.32643176
5 9 33.12714126
6 9 49.63483443
7 9 29.37510695
8 9 55.12021512
9 9 35.32138146
0 8 17.52345403
1 8 NaN
2 8 24.3324875
3 8 22.39497522
4 8 15.08405234
5 8 13.03855556
6 8 17.24712355
7 8 12.22437678
8 8 22.69402497
9 8 16.67477655
0 7 50.18463356
1 7 24.3324875
2 7 NaN
3 7 55.15208515
4 7 23.4057882
5 7 30.26415856
6 7 35.79448869
7 7 18.05873304
8 7 43.82330574
9 7 24.38366452
0 6 48.70986519
1 6 22.39497522
2 6 55.15208515
3 6 NaN
4 6 26.69596225
5 6 42.49060461
6 6 37.11259057
7 6 34.59926306
8 6 57.71911158
9 6 39.2060833
0 5 28.32643176
1 5 15.08405234
2 5 23.4057882
3 5 26.69596225
4 5 NaN
5 5 24.76179613
6 5 28.07061916
7 5 21.05748516
8 5 41.5727298
9 5 29.59968979
0 4 33.12714126
1 4 13.03855556
2 4 30.26415856
3 4 42.49060461
4 4 24.76179613
5 4 NaN
6 4 24.60008274
7 4 19.66798368
8 4 55.51283793
9 4 26.49766556
0 3 49.63483443
1 3 17.24712355
2 3 35.79448869
3 3 37.11259057
4 3 28.07061916
5 3 24.60008274
6 3 NaN
7 3 19.82679156
8 3 42.67287337
9 3 27.94476086
0 2 29.37510695
1 2 12.22437678
2 2 18.05873304
3 2 34.59926306
4 2 21.05748516
5 2 19.66798368
6 2 19.82679156
7 2 NaN
8 2 28.72082206
9 2 39.73046537
0 1 55.12021512
1 1 22.69402497
2 1 43.82330574
3 1 57.71911158
4 1 41.5727298
5 1 55.51283793
6 1 42.67287337
7 1 28.72082206
8 1 NaN
9 1 47.24438587
0 0 35.32138146
1 0 16.67477655
2 0 24.38366452
3 0 39.2060833
4 0 29.59968979
5 0 26.49766556
6 0 27.94476086
7 0 39.73046537
8 0 47.24438587
9 0 NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,7in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,1344 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,504 background '#ffffff'
} }
set output 'fig_mnist_similarity_yat'.'.'.format
set multiplot

reset
set lmargin at screen 0.0522962963
set rmargin at screen 0.4656296296
set bmargin at screen 0.5664285714
set tmargin at screen 0.965
set label 'ⵟ prototypes, cosine (unit 10⁻²)' at screen 0.258962963,0.9846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 10 of 45 pairs' at screen 0.258962963,0.5167857143 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [49.56525023:72.66100402] noextend
unset key
set label '54' at first 1,9 center front tc rgb '#ffffff'
set label '70' at first 2,9 center front tc rgb '#000000'
set label '68' at first 3,9 center front tc rgb '#000000'
set label '61' at first 4,9 center front tc rgb '#000000'
set label '64' at first 5,9 center front tc rgb '#000000'
set label '69' at first 6,9 center front tc rgb '#000000'
set label '62' at first 7,9 center front tc rgb '#000000'
set label '70' at first 8,9 center front tc rgb '#000000'
set label '64' at first 9,9 center front tc rgb '#000000'
set label '54' at first 0,8 center front tc rgb '#ffffff'
set label '60' at first 2,8 center front tc rgb '#000000'
set label '58' at first 3,8 center front tc rgb '#ffffff'
set label '53' at first 4,8 center front tc rgb '#ffffff'
set label '51' at first 5,8 center front tc rgb '#ffffff'
set label '54' at first 6,8 center front tc rgb '#ffffff'
set label '50' at first 7,8 center front tc rgb '#ffffff'
set label '58' at first 8,8 center front tc rgb '#ffffff'
set label '54' at first 9,8 center front tc rgb '#ffffff'
set label '70' at first 0,7 center front tc rgb '#000000'
set label '60' at first 1,7 center front tc rgb '#000000'
set label '71' at first 3,7 center front tc rgb '#000000'
set label '58' at first 4,7 center front tc rgb '#ffffff'
set label '63' at first 5,7 center front tc rgb '#000000'
set label '65' at first 6,7 center front tc rgb '#000000'
set label '54' at first 7,7 center front tc rgb '#ffffff'
set label '67' at first 8,7 center front tc rgb '#000000'
set label '58' at first 9,7 center front tc rgb '#ffffff'
set label '68' at first 0,6 center front tc rgb '#000000'
set label '58' at first 1,6 center front tc rgb '#ffffff'
set label '71' at first 2,6 center front tc rgb '#000000'
set label '60' at first 4,6 center front tc rgb '#000000'
set label '68' at first 5,6 center front tc rgb '#000000'
set label '65' at first 6,6 center front tc rgb '#000000'
set label '65' at first 7,6 center front tc rgb '#000000'
set label '71' at first 8,6 center front tc rgb '#000000'
set label '66' at first 9,6 center front tc rgb '#000000'
set label '61' at first 0,5 center front tc rgb '#000000'
set label '53' at first 1,5 center front tc rgb '#ffffff'
set label '58' at first 2,5 center front tc rgb '#ffffff'
set label '60' at first 3,5 center front tc rgb '#000000'
set label '61' at first 5,5 center front tc rgb '#000000'
set label '62' at first 6,5 center front tc rgb '#000000'
set label '58' at first 7,5 center front tc rgb '#ffffff'
set label '68' at first 8,5 center front tc rgb '#000000'
set label '63' at first 9,5 center front tc rgb '#000000'
set label '64' at first 0,4 center front tc rgb '#000000'
set label '51' at first 1,4 center front tc rgb '#ffffff'
set label '63' at first 2,4 center front tc rgb '#000000'
set label '68' at first 3,4 center front tc rgb '#000000'
set label '61' at first 4,4 center front tc rgb '#000000'
set label '60' at first 6,4 center front tc rgb '#000000'
set label '57' at first 7,4 center front tc rgb '#ffffff'
set label '73' at first 8,4 center front tc rgb '#000000'
set label '61' at first 9,4 center front tc rgb '#000000'
set label '69' at first 0,3 center front tc rgb '#000000'
set label '54' at first 1,3 center front tc rgb '#ffffff'
set label '65' at first 2,3 center front tc rgb '#000000'
set label '65' at first 3,3 center front tc rgb '#000000'
set label '62' at first 4,3 center front tc rgb '#000000'
set label '60' at first 5,3 center front tc rgb '#000000'
set label '56' at first 7,3 center front tc rgb '#ffffff'
set label '67' at first 8,3 center front tc rgb '#000000'
set label '61' at first 9,3 center front tc rgb '#000000'
set label '62' at first 0,2 center front tc rgb '#000000'
set label '50' at first 1,2 center front tc rgb '#ffffff'
set label '54' at first 2,2 center front tc rgb '#ffffff'
set label '65' at first 3,2 center front tc rgb '#000000'
set label '58' at first 4,2 center front tc rgb '#ffffff'
set label '57' at first 5,2 center front tc rgb '#ffffff'
set label '56' at first 6,2 center front tc rgb '#ffffff'
set label '62' at first 8,2 center front tc rgb '#000000'
set label '68' at first 9,2 center front tc rgb '#000000'
set label '70' at first 0,1 center front tc rgb '#000000'
set label '58' at first 1,1 center front tc rgb '#ffffff'
set label '67' at first 2,1 center front tc rgb '#000000'
set label '71' at first 3,1 center front tc rgb '#000000'
set label '68' at first 4,1 center front tc rgb '#000000'
set label '73' at first 5,1 center front tc rgb '#000000'
set label '67' at first 6,1 center front tc rgb '#000000'
set label '62' at first 7,1 center front tc rgb '#000000'
set label '69' at first 9,1 center front tc rgb '#000000'
set label '64' at first 0,0 center front tc rgb '#000000'
set label '54' at first 1,0 center front tc rgb '#ffffff'
set label '58' at first 2,0 center front tc rgb '#ffffff'
set label '66' at first 3,0 center front tc rgb '#000000'
set label '63' at first 4,0 center front tc rgb '#000000'
set label '61' at first 5,0 center front tc rgb '#000000'
set label '61' at first 6,0 center front tc rgb '#000000'
set label '68' at first 7,0 center front tc rgb '#000000'
set label '69' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel0_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5522962963
set rmargin at screen 0.9656296296
set bmargin at screen 0.5664285714
set tmargin at screen 0.965
set label 'ⵟ prototypes, dot' at screen 0.758962963,0.9846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 19 of 45 pairs' at screen 0.758962963,0.5167857143 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [24.9069943:47.24368555] noextend
unset key
set label '31' at first 1,9 center front tc rgb '#ffffff'
set label '44' at first 2,9 center front tc rgb '#000000'
set label '45' at first 3,9 center front tc rgb '#000000'
set label '37' at first 4,9 center front tc rgb '#000000'
set label '38' at first 5,9 center front tc rgb '#000000'
set label '44' at first 6,9 center front tc rgb '#000000'
set label '37' at first 7,9 center front tc rgb '#000000'
set label '47' at first 8,9 center front tc rgb '#000000'
set label '40' at first 9,9 center front tc rgb '#000000'
set label '31' at first 0,8 center front tc rgb '#ffffff'
set label '33' at first 2,8 center front tc rgb '#ffffff'
set label '33' at first 3,8 center front tc rgb '#ffffff'
set label '27' at first 4,8 center front tc rgb '#ffffff'
set label '26' at first 5,8 center front tc rgb '#ffffff'
set label '29' at first 6,8 center front tc rgb '#ffffff'
set label '25' at first 7,8 center front tc rgb '#ffffff'
set label '33' at first 8,8 center front tc rgb '#ffffff'
set label '29' at first 9,8 center front tc rgb '#ffffff'
set label '44' at first 0,7 center front tc rgb '#000000'
set label '33' at first 1,7 center front tc rgb '#ffffff'
set label '45' at first 3,7 center front tc rgb '#000000'
set label '33' at first 4,7 center front tc rgb '#ffffff'
set label '35' at first 5,7 center front tc rgb '#000000'
set label '39' at first 6,7 center front tc rgb '#000000'
set label '30' at first 7,7 center front tc rgb '#ffffff'
set label '43' at first 8,7 center front tc rgb '#000000'
set label '35' at first 9,7 center front tc rgb '#000000'
set label '45' at first 0,6 center front tc rgb '#000000'
set label '33' at first 1,6 center front tc rgb '#ffffff'
set label '45' at first 2,6 center front tc rgb '#000000'
set label '36' at first 4,6 center front tc rgb '#000000'
set label '40' at first 5,6 center front tc rgb '#000000'
set label '41' at first 6,6 center front tc rgb '#000000'
set label '38' at first 7,6 center front tc rgb '#000000'
set label '47' at first 8,6 center front tc rgb '#000000'
set label '41' at first 9,6 center front tc rgb '#000000'
set label '37' at first 0,5 center front tc rgb '#000000'
set label '27' at first 1,5 center front tc rgb '#ffffff'
set label '33' at first 2,5 center front tc rgb '#ffffff'
set label '36' at first 3,5 center front tc rgb '#000000'
set label '32' at first 5,5 center front tc rgb '#ffffff'
set label '35' at first 6,5 center front tc rgb '#000000'
set label '31' at first 7,5 center front tc rgb '#ffffff'
set label '41' at first 8,5 center front tc rgb '#000000'
set label '35' at first 9,5 center front tc rgb '#000000'
set label '38' at first 0,4 center front tc rgb '#000000'
set label '26' at first 1,4 center front tc rgb '#ffffff'
set label '35' at first 2,4 center front tc rgb '#000000'
set label '40' at first 3,4 center front tc rgb '#000000'
set label '32' at first 4,4 center front tc rgb '#ffffff'
set label '33' at first 6,4 center front tc rgb '#ffffff'
set label '30' at first 7,4 center front tc rgb '#ffffff'
set label '43' at first 8,4 center front tc rgb '#000000'
set label '34' at first 9,4 center front tc rgb '#ffffff'
set label '44' at first 0,3 center front tc rgb '#000000'
set label '29' at first 1,3 center front tc rgb '#ffffff'
set label '39' at first 2,3 center front tc rgb '#000000'
set label '41' at first 3,3 center front tc rgb '#000000'
set label '35' at first 4,3 center front tc rgb '#000000'
set label '33' at first 5,3 center front tc rgb '#ffffff'
set label '31' at first 7,3 center front tc rgb '#ffffff'
set label '42' at first 8,3 center front tc rgb '#000000'
set label '36' at first 9,3 center front tc rgb '#000000'
set label '37' at first 0,2 center front tc rgb '#000000'
set label '25' at first 1,2 center front tc rgb '#ffffff'
set label '30' at first 2,2 center front tc rgb '#ffffff'
set label '38' at first 3,2 center front tc rgb '#000000'
set label '31' at first 4,2 center front tc rgb '#ffffff'
set label '30' at first 5,2 center front tc rgb '#ffffff'
set label '31' at first 6,2 center front tc rgb '#ffffff'
set label '36' at first 8,2 center front tc rgb '#000000'
set label '38' at first 9,2 center front tc rgb '#000000'
set label '47' at first 0,1 center front tc rgb '#000000'
set label '33' at first 1,1 center front tc rgb '#ffffff'
set label '43' at first 2,1 center front tc rgb '#000000'
set label '47' at first 3,1 center front tc rgb '#000000'
set label '41' at first 4,1 center front tc rgb '#000000'
set label '43' at first 5,1 center front tc rgb '#000000'
set label '42' at first 6,1 center front tc rgb '#000000'
set label '36' at first 7,1 center front tc rgb '#000000'
set label '43' at first 9,1 center front tc rgb '#000000'
set label '40' at first 0,0 center front tc rgb '#000000'
set label '29' at first 1,0 center front tc rgb '#ffffff'
set label '35' at first 2,0 center front tc rgb '#000000'
set label '41' at first 3,0 center front tc rgb '#000000'
set label '35' at first 4,0 center front tc rgb '#000000'
set label '34' at first 5,0 center front tc rgb '#ffffff'
set label '36' at first 6,0 center front tc rgb '#000000'
set label '38' at first 7,0 center front tc rgb '#000000'
set label '43' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel1_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.0522962963
set rmargin at screen 0.4656296296
set bmargin at screen 0.06642857143
set tmargin at screen 0.465
set label 'ⵟ prototypes, euclidean' at screen 0.258962963,0.4846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 2 of 45 pairs' at screen 0.258962963,0.01678571429 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [-53.87793452:-33.09844487] noextend
unset key
set label '−54' at first 1,9 center front tc rgb '#ffffff'
set label '−39' at first 2,9 center front tc rgb '#000000'
set label '−42' at first 3,9 center front tc rgb '#000000'
set label '−47' at first 4,9 center front tc rgb '#ffffff'
set label '−43' at first 5,9 center front tc rgb '#000000'
set label '−39' at first 6,9 center front tc rgb '#000000'
set label '−46' at first 7,9 center front tc rgb '#ffffff'
set label '−40' at first 8,9 center front tc rgb '#000000'
set label '−46' at first 9,9 center front tc rgb '#ffffff'
set label '−54' at first 0,8 center front tc rgb '#ffffff'
set label '−44' at first 2,8 center front tc rgb '#000000'
set label '−49' at first 3,8 center front tc rgb '#ffffff'
set label '−48' at first 4,8 center front tc rgb '#ffffff'
set label '−50' at first 5,8 center front tc rgb '#ffffff'
set label '−50' at first 6,8 center front tc rgb '#ffffff'
set label '−51' at first 7,8 center front tc rgb '#ffffff'
set label '−49' at first 8,8 center front tc rgb '#ffffff'
set label '−50' at first 9,8 center front tc rgb '#ffffff'
set label '−39' at first 0,7 center front tc rgb '#000000'
set label '−44' at first 1,7 center front tc rgb '#000000'
set label '−37' at first 3,7 center front tc rgb '#000000'
set label '−47' at first 4,7 center front tc rgb '#ffffff'
set label '−42' at first 5,7 center front tc rgb '#000000'
set label '−42' at first 6,7 center front tc rgb '#000000'
set label '−51' at first 7,7 center front tc rgb '#ffffff'
set label '−41' at first 8,7 center front tc rgb '#000000'
set label '−50' at first 9,7 center front tc rgb '#ffffff'
set label '−42' at first 0,6 center front tc rgb '#000000'
set label '−49' at first 1,6 center front tc rgb '#ffffff'
set label '−37' at first 2,6 center front tc rgb '#000000'
set label '−49' at first 4,6 center front tc rgb '#ffffff'
set label '−38' at first 5,6 center front tc rgb '#000000'
set label '−45' at first 6,6 center front tc rgb '#000000'
set label '−42' at first 7,6 center front tc rgb '#000000'
set label '−39' at first 8,6 center front tc rgb '#000000'
set label '−43' at first 9,6 center front tc rgb '#000000'
set label '−47' at first 0,5 center front tc rgb '#ffffff'
set label '−48' at first 1,5 center front tc rgb '#ffffff'
set label '−47' at first 2,5 center front tc rgb '#ffffff'
set label '−49' at first 3,5 center front tc rgb '#ffffff'
set label '−42' at first 5,5 center front tc rgb '#000000'
set label '−44' at first 6,5 center front tc rgb '#000000'
set label '−45' at first 7,5 center front tc rgb '#000000'
set label '−39' at first 8,5 center front tc rgb '#000000'
set label '−42' at first 9,5 center front tc rgb '#000000'
set label '−43' at first 0,4 center front tc rgb '#000000'
set label '−50' at first 1,4 center front tc rgb '#ffffff'
set label '−42' at first 2,4 center front tc rgb '#000000'
set label '−38' at first 3,4 center front tc rgb '#000000'
set label '−42' at first 4,4 center front tc rgb '#000000'
set label '−45' at first 6,4 center front tc rgb '#ffffff'
set label '−45' at first 7,4 center front tc rgb '#ffffff'
set label '−33' at first 8,4 center front tc rgb '#000000'
set label '−44' at first 9,4 center front tc rgb '#000000'
set label '−39' at first 0,3 center front tc rgb '#000000'
set label '−50' at first 1,3 center front tc rgb '#ffffff'
set label '−42' at first 2,3 center front tc rgb '#000000'
set label '−45' at first 3,3 center front tc rgb '#000000'
set label '−44' at first 4,3 center front tc rgb '#000000'
set label '−45' at first 5,3 center front tc rgb '#ffffff'
set label '−49' at first 7,3 center front tc rgb '#ffffff'
set label '−42' at first 8,3 center front tc rgb '#000000'
set label '−47' at first 9,3 center front tc rgb '#ffffff'
set label '−46' at first 0,2 center front tc rgb '#ffffff'
set label '−51' at first 1,2 center front tc rgb '#ffffff'
set label '−51' at first 2,2 center front tc rgb '#ffffff'
set label '−42' at first 3,2 center front tc rgb '#000000'
set label '−45' at first 4,2 center front tc rgb '#000000'
set label '−45' at first 5,2 center front tc rgb '#ffffff'
set label '−49' at first 6,2 center front tc rgb '#ffffff'
set label '−46' at first 8,2 center front tc rgb '#ffffff'
set label '−36' at first 9,2 center front tc rgb '#000000'
set label '−40' at first 0,1 center front tc rgb '#000000'
set label '−49' at first 1,1 center front tc rgb '#ffffff'
set label '−41' at first 2,1 center front tc rgb '#000000'
set label '−39' at first 3,1 center front tc rgb '#000000'
set label '−39' at first 4,1 center front tc rgb '#000000'
set label '−33' at first 5,1 center front tc rgb '#000000'
set label '−42' at first 6,1 center front tc rgb '#000000'
set label '−46' at first 7,1 center front tc rgb '#ffffff'
set label '−39' at first 9,1 center front tc rgb '#000000'
set label '−46' at first 0,0 center front tc rgb '#ffffff'
set label '−50' at first 1,0 center front tc rgb '#ffffff'
set label '−50' at first 2,0 center front tc rgb '#ffffff'
set label '−43' at first 3,0 center front tc rgb '#000000'
set label '−42' at first 4,0 center front tc rgb '#000000'
set label '−44' at first 5,0 center front tc rgb '#000000'
set label '−47' at first 6,0 center front tc rgb '#ffffff'
set label '−36' at first 7,0 center front tc rgb '#000000'
set label '−39' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel2_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5522962963
set rmargin at screen 0.9656296296
set bmargin at screen 0.06642857143
set tmargin at screen 0.465
set label 'ⵟ prototypes, yat' at screen 0.758962963,0.4846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 13 of 45 pairs' at screen 0.758962963,0.01678571429 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [12.22437678:57.71911158] noextend
unset key
set label '18' at first 1,9 center front tc rgb '#ffffff'
set label '50' at first 2,9 center front tc rgb '#000000'
set label '49' at first 3,9 center front tc rgb '#000000'
set label '28' at first 4,9 center front tc rgb '#ffffff'
set label '33' at first 5,9 center front tc rgb '#000000'
set label '50' at first 6,9 center front tc rgb '#000000'
set label '29' at first 7,9 center front tc rgb '#ffffff'
set label '55' at first 8,9 center front tc rgb '#000000'
set label '35' at first 9,9 center front tc rgb '#000000'
set label '18' at first 0,8 center front tc rgb '#ffffff'
set label '24' at first 2,8 center front tc rgb '#ffffff'
set label '22' at first 3,8 center front tc rgb '#ffffff'
set label '15' at first 4,8 center front tc rgb '#ffffff'
set label '13' at first 5,8 center front tc rgb '#ffffff'
set label '17' at first 6,8 center front tc rgb '#ffffff'
set label '12' at first 7,8 center front tc rgb '#ffffff'
set label '23' at first 8,8 center front tc rgb '#ffffff'
set label '17' at first 9,8 center front tc rgb '#ffffff'
set label '50' at first 0,7 center front tc rgb '#000000'
set label '24' at first 1,7 center front tc rgb '#ffffff'
set label '55' at first 3,7 center front tc rgb '#000000'
set label '23' at first 4,7 center front tc rgb '#ffffff'
set label '30' at first 5,7 center front tc rgb '#ffffff'
set label '36' at first 6,7 center front tc rgb '#000000'
set label '18' at first 7,7 center front tc rgb '#ffffff'
set label '44' at first 8,7 center front tc rgb '#000000'
set label '24' at first 9,7 center front tc rgb '#ffffff'
set label '49' at first 0,6 center front tc rgb '#000000'
set label '22' at first 1,6 center front tc rgb '#ffffff'
set label '55' at first 2,6 center front tc rgb '#000000'
set label '27' at first 4,6 center front tc rgb '#ffffff'
set label '42' at first 5,6 center front tc rgb '#000000'
set label '37' at first 6,6 center front tc rgb '#000000'
set label '35' at first 7,6 center front tc rgb '#000000'
set label '58' at first 8,6 center front tc rgb '#000000'
set label '39' at first 9,6 center front tc rgb '#000000'
set label '28' at first 0,5 center front tc rgb '#ffffff'
set label '15' at first 1,5 center front tc rgb '#ffffff'
set label '23' at first 2,5 center front tc rgb '#ffffff'
set label '27' at first 3,5 center front tc rgb '#ffffff'
set label '25' at first 5,5 center front tc rgb '#ffffff'
set label '28' at first 6,5 center front tc rgb '#ffffff'
set label '21' at first 7,5 center front tc rgb '#ffffff'
set label '42' at first 8,5 center front tc rgb '#000000'
set label '30' at first 9,5 center front tc rgb '#ffffff'
set label '33' at first 0,4 center front tc rgb '#000000'
set label '13' at first 1,4 center front tc rgb '#ffffff'
set label '30' at first 2,4 center front tc rgb '#ffffff'
set label '42' at first 3,4 center front tc rgb '#000000'
set label '25' at first 4,4 center front tc rgb '#ffffff'
set label '25' at first 6,4 center front tc rgb '#ffffff'
set label '20' at first 7,4 center front tc rgb '#ffffff'
set label '56' at first 8,4 center front tc rgb '#000000'
set label '26' at first 9,4 center front tc rgb '#ffffff'
set label '50' at first 0,3 center front tc rgb '#000000'
set label '17' at first 1,3 center front tc rgb '#ffffff'
set label '36' at first 2,3 center front tc rgb '#000000'
set label '37' at first 3,3 center front tc rgb '#000000'
set label '28' at first 4,3 center front tc rgb '#ffffff'
set label '25' at first 5,3 center front tc rgb '#ffffff'
set label '20' at first 7,3 center front tc rgb '#ffffff'
set label '43' at first 8,3 center front tc rgb '#000000'
set label '28' at first 9,3 center front tc rgb '#ffffff'
set label '29' at first 0,2 center front tc rgb '#ffffff'
set label '12' at first 1,2 center front tc rgb '#ffffff'
set label '18' at first 2,2 center front tc rgb '#ffffff'
set label '35' at first 3,2 center front tc rgb '#000000'
set label '21' at first 4,2 center front tc rgb '#ffffff'
set label '20' at first 5,2 center front tc rgb '#ffffff'
set label '20' at first 6,2 center front tc rgb '#ffffff'
set label '29' at first 8,2 center front tc rgb '#ffffff'
set label '40' at first 9,2 center front tc rgb '#000000'
set label '55' at first 0,1 center front tc rgb '#000000'
set label '23' at first 1,1 center front tc rgb '#ffffff'
set label '44' at first 2,1 center front tc rgb '#000000'
set label '58' at first 3,1 center front tc rgb '#000000'
set label '42' at first 4,1 center front tc rgb '#000000'
set label '56' at first 5,1 center front tc rgb '#000000'
set label '43' at first 6,1 center front tc rgb '#000000'
set label '29' at first 7,1 center front tc rgb '#ffffff'
set label '47' at first 9,1 center front tc rgb '#000000'
set label '35' at first 0,0 center front tc rgb '#000000'
set label '17' at first 1,0 center front tc rgb '#ffffff'
set label '24' at first 2,0 center front tc rgb '#ffffff'
set label '39' at first 3,0 center front tc rgb '#000000'
set label '30' at first 4,0 center front tc rgb '#ffffff'
set label '26' at first 5,0 center front tc rgb '#ffffff'
set label '28' at first 6,0 center front tc rgb '#ffffff'
set label '40' at first 7,0 center front tc rgb '#000000'
set label '47' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel3_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle
unset multiplot
unset output
