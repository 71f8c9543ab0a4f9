# Figure fig_mnist_similarity, drawn by yatlab: gnuplot -c fig_mnist_similarity.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 9 NaN
1 9 27.91346503
2 9 49.3615016
3 9 42.18161301
4 9 35.55634323
5 9 38.54124768
6 9 49.22469996
7 9 37.56135271
8 9 47.37343581
9 9 31.47754927
0 8 27.91346503
1 8 NaN
2 8 45.87521438
3 8 41.15308149
4 8 33.57852003
5 8 28.18191927
6 8 33.79455429
7 8 27.9787651
8 8 37.62676582
9 8 27.82247584
0 7 49.3615016
1 7 45.87521438
2 7 NaN
3 7 52.7351057
4 7 31.89163907
5 7 37.11000591
6 7 40.93857394
7 7 27.69023649
8 7 42.08936591
9 7 22.4049269
0 6 42.18161301
1 6 41.15308149
2 6 52.7351057
3 6 NaN
4 6 29.85316338
5 6 43.72277328
6 6 34.71431354
7 6 47.8693763
8 6 39.95295248
9 6 36.83677348
0 5 35.55634323
1 5 33.57852003
2 5 31.89163907
3 5 29.85316338
4 5 NaN
5 5 34.97659426
6 5 39.07726483
7 5 32.94979014
8 5 49.63032808
9 5 38.14475225
0 4 38.54124768
1 4 28.18191927
2 4 37.11000591
3 4 43.72277328
4 4 34.97659426
5 4 NaN
6 4 34.6198184
7 4 30.89360325
8 4 53.12628047
9 4 32.18018511
0 3 49.22469996
1 3 33.79455429
2 3 40.93857394
3 3 34.71431354
4 3 39.07726483
5 3 34.6198184
6 3 NaN
7 3 26.09765023
8 3 41.50033523
9 3 27.51512813
0 2 37.56135271
1 2 27.9787651
2 2 27.69023649
3 2 47.8693763
4 2 32.94979014
5 2 30.89360325
6 2 26.09765023
7 2 NaN
8 2 29.29884804
9 2 51.15636489
0 1 47.37343581
1 1 37.62676582
2 1 42.08936591
3 1 39.95295248
4 1 49.63032808
5 1 53.12628047
6 1 41.50033523
7 1 29.29884804
8 1 NaN
9 1 38.38240634
0 0 31.47754927
1 0 27.82247584
2 0 22.4049269
3 0 36.83677348
4 0 38.14475225
5 0 32.18018511
6 0 27.51512813
7 0 51.15636489
8 0 38.38240634
9 0 NaN
EOD
$panel1_heat0 << EOD
0 9 NaN
1 9 16.99869584
2 9 35.75565059
3 9 28.97460567
4 9 22.18248488
5 9 27.37971112
6 9 32.77325001
7 9 26.91924322
8 9 27.60407342
9 9 19.9851978
0 8 16.99869584
1 8 NaN
2 8 32.99866121
3 8 28.07104646
4 8 20.80254867
5 8 19.88087753
6 8 22.34318328
7 8 19.91187035
8 8 21.77193718
9 8 17.54143846
0 7 35.75565059
1 7 32.99866121
2 7 NaN
3 7 42.78687156
4 7 23.50099804
5 7 31.13941696
6 7 32.19478322
7 7 23.44038003
8 7 28.9685685
9 7 16.80224957
0 6 28.97460567
1 6 28.07104646
2 6 42.78687156
3 6 NaN
4 6 20.86113112
5 6 34.79086153
6 6 25.88805399
7 6 38.42676123
8 6 26.07603526
9 6 26.19651458
0 5 22.18248488
1 5 20.80254867
2 5 23.50099804
3 5 20.86113112
4 5 NaN
5 5 25.2774788
6 5 26.46754958
7 5 24.02300982
8 5 29.41972307
9 5 24.6374344
0 4 27.37971112
1 4 19.88087753
2 4 31.13941696
3 4 34.79086153
4 4 25.2774788
5 4 NaN
6 4 26.7008047
7 4 25.64798897
8 4 35.86004517
9 4 23.66787178
0 3 32.77325001
1 3 22.34318328
2 3 32.19478322
3 3 25.88805399
4 3 26.46754958
5 3 26.7008047
6 3 NaN
7 3 20.30577181
8 3 26.25344911
9 3 18.96599147
0 2 26.91924322
1 2 19.91187035
2 2 23.44038003
3 2 38.42676123
4 2 24.02300982
5 2 25.64798897
6 2 20.30577181
7 2 NaN
8 2 19.95126776
9 2 37.95673752
0 1 27.60407342
1 1 21.77193718
2 1 28.9685685
3 1 26.07603526
4 1 29.41972307
5 1 35.86004517
6 1 26.25344911
7 1 19.95126776
8 1 NaN
9 1 23.15464182
0 0 19.9851978
1 0 17.54143846
2 0 16.80224957
3 0 26.19651458
4 0 24.6374344
5 0 23.66787178
6 0 18.96599147
7 0 37.95673752
8 0 23.15464182
9 0 NaN
EOD
$panel2_heat0 << EOD
0 9 NaN
1 9 -8.780125823
2 9 -7.537441404
3 9 -8.03155186
4 9 -8.042711799
5 9 -8.885954783
6 9 -6.806129634
7 9 -9.124041444
8 9 -6.148236032
9 9 -8.708668197
0 8 -8.780125823
1 8 NaN
2 8 -8.003636389
3 8 -8.12706081
4 8 -8.23349615
5 8 -10.30051861
6 8 -8.806940089
7 8 -10.44031313
8 8 -7.229460389
9 8 -9.112217172
0 7 -7.537441404
1 7 -8.003636389
2 7 NaN
3 7 -7.692602322
4 7 -10.20251281
5 7 -10.55751726
6 7 -9.345326632
7 7 -12.24331772
8 7 -8.298840657
9 7 -11.76876148
0 6 -8.03155186
1 6 -8.12706081
2 6 -7.692602322
3 6 NaN
4 6 -9.868387665
5 6 -8.965129814
6 6 -9.74457395
7 6 -8.383942955
8 6 -8.015248775
9 6 -9.027809954
0 5 -8.042711799
1 5 -8.23349615
2 5 -10.20251281
3 5 -9.868387665
4 5 NaN
5 5 -9.520542142
6 5 -8.281410614
7 5 -9.917429018
8 5 -5.999246997
9 5 -7.992361771
0 4 -8.885954783
1 4 -10.30051861
2 4 -10.55751726
3 4 -8.965129814
4 4 -9.520542142
5 4 NaN
6 4 -10.11744782
7 4 -11.47512142
8 4 -6.593870806
9 4 -10.06896253
0 3 -6.806129634
1 3 -8.806940089
2 3 -9.345326632
3 3 -9.74457395
4 3 -8.281410614
5 3 -10.11744782
6 3 NaN
7 3 -11.54244748
8 3 -7.514072648
9 3 -10.00822122
0 2 -9.124041444
1 2 -10.44031313
2 2 -12.24331772
3 2 -8.383942955
4 2 -9.917429018
5 2 -11.47512142
6 2 -11.54244748
7 2 NaN
8 2 -9.92161937
9 2 -7.357182459
0 1 -6.148236032
1 1 -7.229460389
2 1 -8.298840657
3 1 -8.015248775
4 1 -5.999246997
5 1 -6.593870806
6 1 -7.514072648
7 1 -9.92161937
8 1 NaN
9 1 -7.478762227
0 0 -8.708668197
1 0 -9.112217172
2 0 -11.76876148
3 0 -9.027809954
4 0 -7.992361771
5 0 -10.06896253
6 0 -10.00822122
7 0 -7.357182459
8 0 -7.478762227
9 0 NaN
EOD
$panel3_heat0 << EOD
0 9 NaN
1 9 3.291019208
2 9 16.96154319
3 9 10.45286993
4 9 6.118117703
5 9 8.436330308
6 9 15.7811534
7 9 7.942155681
8 9 12.39355063
9 9 4.586327967
0 8 3.291019208
1 8 NaN
2 8 13.60520959
3 8 9.695799883
4 8 5.255920096
5 8 3.837178186
6 8 5.668458936
7 8 3.797611606
8 8 6.556743622
9 8 3.376807464
0 7 16.96154319
1 7 13.60520959
2 7 NaN
3 7 23.7983983
4 7 5.413341448
5 7 9.184576009
6 7 11.09114744
7 7 4.487765355
8 7 10.11198907
9 7 2.398855369
0 6 10.45286993
1 6 9.695799883
2 6 23.7983983
3 6 NaN
4 6 4.409907295
5 6 13.50124244
6 6 6.877584122
7 6 17.61242663
8 6 8.48332409
9 6 7.601592229
0 5 6.118117703
1 5 5.255920096
2 5 5.413341448
3 5 4.409907295
4 5 NaN
5 5 6.711286581
6 5 8.459079366
7 5 5.819098292
8 5 14.4271433
9 5 7.594790065
0 4 8.436330308
1 4 3.837178186
2 4 9.184576009
3 4 13.50124244
4 4 6.711286581
5 4 NaN
6 4 7.046568595
7 4 5.73256924
8 4 19.50209039
9 4 5.563314965
0 3 15.7811534
1 3 5.668458936
2 3 11.09114744
3 3 6.877584122
4 3 8.459079366
5 3 7.046568595
6 3 NaN
7 3 3.572243526
8 3 9.172702085
9 3 3.594133152
0 2 7.942155681
1 2 3.797611606
2 2 4.487765355
3 2 17.61242663
4 2 5.819098292
5 2 5.73256924
6 2 3.572243526
7 2 NaN
8 2 4.011976576
9 2 19.58241127
0 1 12.39355063
1 1 6.556743622
2 1 10.11198907
3 1 8.48332409
4 1 14.4271433
5 1 19.50209039
6 1 9.172702085
7 1 4.011976576
8 1 NaN
9 1 7.168798119
0 0 4.586327967
1 0 3.376807464
2 0 2.398855369
3 0 7.601592229
4 0 7.594790065
5 0 5.563314965
6 0 3.594133152
7 0 19.58241127
8 0 7.168798119
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
set output 'fig_mnist_similarity'.'.'.format
set multiplot

reset
set lmargin at screen 0.05264387217
set rmargin at screen 0.4659772055
set bmargin at screen 0.5664285714
set tmargin at screen 0.965
set label 'Linear prototypes, cosine (unit 10⁻²)' at screen 0.2593105388,0.9846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 3 of 45 pairs' at screen 0.2593105388,0.5167857143 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [22.4049269:53.12628047] noextend
unset key
set label '28' at first 1,9 center front tc rgb '#ffffff'
set label '49' at first 2,9 center front tc rgb '#000000'
set label '42' at first 3,9 center front tc rgb '#000000'
set label '36' at first 4,9 center front tc rgb '#ffffff'
set label '39' at first 5,9 center front tc rgb '#000000'
set label '49' at first 6,9 center front tc rgb '#000000'
set label '38' at first 7,9 center front tc rgb '#000000'
set label '47' at first 8,9 center front tc rgb '#000000'
set label '31' at first 9,9 center front tc rgb '#ffffff'
set label '28' at first 0,8 center front tc rgb '#ffffff'
set label '46' at first 2,8 center front tc rgb '#000000'
set label '41' at first 3,8 center front tc rgb '#000000'
set label '34' at first 4,8 center front tc rgb '#ffffff'
set label '28' at first 5,8 center front tc rgb '#ffffff'
set label '34' at first 6,8 center front tc rgb '#ffffff'
set label '28' at first 7,8 center front tc rgb '#ffffff'
set label '38' at first 8,8 center front tc rgb '#000000'
set label '28' at first 9,8 center front tc rgb '#ffffff'
set label '49' at first 0,7 center front tc rgb '#000000'
set label '46' at first 1,7 center front tc rgb '#000000'
set label '53' at first 3,7 center front tc rgb '#000000'
set label '32' at first 4,7 center front tc rgb '#ffffff'
set label '37' at first 5,7 center front tc rgb '#000000'
set label '41' at first 6,7 center front tc rgb '#000000'
set label '28' at first 7,7 center front tc rgb '#ffffff'
set label '42' at first 8,7 center front tc rgb '#000000'
set label '22' at first 9,7 center front tc rgb '#ffffff'
set label '42' at first 0,6 center front tc rgb '#000000'
set label '41' at first 1,6 center front tc rgb '#000000'
set label '53' at first 2,6 center front tc rgb '#000000'
set label '30' at first 4,6 center front tc rgb '#ffffff'
set label '44' at first 5,6 center front tc rgb '#000000'
set label '35' at first 6,6 center front tc rgb '#ffffff'
set label '48' at first 7,6 center front tc rgb '#000000'
set label '40' at first 8,6 center front tc rgb '#000000'
set label '37' at first 9,6 center front tc rgb '#000000'
set label '36' at first 0,5 center front tc rgb '#ffffff'
set label '34' at first 1,5 center front tc rgb '#ffffff'
set label '32' at first 2,5 center front tc rgb '#ffffff'
set label '30' at first 3,5 center front tc rgb '#ffffff'
set label '35' at first 5,5 center front tc rgb '#ffffff'
set label '39' at first 6,5 center front tc rgb '#000000'
set label '33' at first 7,5 center front tc rgb '#ffffff'
set label '50' at first 8,5 center front tc rgb '#000000'
set label '38' at first 9,5 center front tc rgb '#000000'
set label '39' at first 0,4 center front tc rgb '#000000'
set label '28' at first 1,4 center front tc rgb '#ffffff'
set label '37' at first 2,4 center front tc rgb '#000000'
set label '44' at first 3,4 center front tc rgb '#000000'
set label '35' at first 4,4 center front tc rgb '#ffffff'
set label '35' at first 6,4 center front tc rgb '#ffffff'
set label '31' at first 7,4 center front tc rgb '#ffffff'
set label '53' at first 8,4 center front tc rgb '#000000'
set label '32' at first 9,4 center front tc rgb '#ffffff'
set label '49' at first 0,3 center front tc rgb '#000000'
set label '34' at first 1,3 center front tc rgb '#ffffff'
set label '41' at first 2,3 center front tc rgb '#000000'
set label '35' at first 3,3 center front tc rgb '#ffffff'
set label '39' at first 4,3 center front tc rgb '#000000'
set label '35' at first 5,3 center front tc rgb '#ffffff'
set label '26' at first 7,3 center front tc rgb '#ffffff'
set label '42' at first 8,3 center front tc rgb '#000000'
set label '28' at first 9,3 center front tc rgb '#ffffff'
set label '38' at first 0,2 center front tc rgb '#000000'
set label '28' at first 1,2 center front tc rgb '#ffffff'
set label '28' at first 2,2 center front tc rgb '#ffffff'
set label '48' at first 3,2 center front tc rgb '#000000'
set label '33' at first 4,2 center front tc rgb '#ffffff'
set label '31' at first 5,2 center front tc rgb '#ffffff'
set label '26' at first 6,2 center front tc rgb '#ffffff'
set label '29' at first 8,2 center front tc rgb '#ffffff'
set label '51' at first 9,2 center front tc rgb '#000000'
set label '47' at first 0,1 center front tc rgb '#000000'
set label '38' at first 1,1 center front tc rgb '#000000'
set label '42' at first 2,1 center front tc rgb '#000000'
set label '40' at first 3,1 center front tc rgb '#000000'
set label '50' at first 4,1 center front tc rgb '#000000'
set label '53' at first 5,1 center front tc rgb '#000000'
set label '42' at first 6,1 center front tc rgb '#000000'
set label '29' at first 7,1 center front tc rgb '#ffffff'
set label '38' at first 9,1 center front tc rgb '#000000'
set label '31' at first 0,0 center front tc rgb '#ffffff'
set label '28' at first 1,0 center front tc rgb '#ffffff'
set label '22' at first 2,0 center front tc rgb '#ffffff'
set label '37' at first 3,0 center front tc rgb '#000000'
set label '38' at first 4,0 center front tc rgb '#000000'
set label '32' at first 5,0 center front tc rgb '#ffffff'
set label '28' at first 6,0 center front tc rgb '#ffffff'
set label '51' at first 7,0 center front tc rgb '#000000'
set label '38' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel0_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5526438722
set rmargin at screen 0.9659772055
set bmargin at screen 0.5664285714
set tmargin at screen 0.965
set label 'Linear prototypes, dot' at screen 0.7593105388,0.9846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 3 of 45 pairs' at screen 0.7593105388,0.5167857143 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [16.80224957:42.78687156] noextend
unset key
set label '17' at first 1,9 center front tc rgb '#ffffff'
set label '36' at first 2,9 center front tc rgb '#000000'
set label '29' at first 3,9 center front tc rgb '#000000'
set label '22' at first 4,9 center front tc rgb '#ffffff'
set label '27' at first 5,9 center front tc rgb '#ffffff'
set label '33' at first 6,9 center front tc rgb '#000000'
set label '27' at first 7,9 center front tc rgb '#ffffff'
set label '28' at first 8,9 center front tc rgb '#ffffff'
set label '20' at first 9,9 center front tc rgb '#ffffff'
set label '17' at first 0,8 center front tc rgb '#ffffff'
set label '33' at first 2,8 center front tc rgb '#000000'
set label '28' at first 3,8 center front tc rgb '#ffffff'
set label '21' at first 4,8 center front tc rgb '#ffffff'
set label '20' at first 5,8 center front tc rgb '#ffffff'
set label '22' at first 6,8 center front tc rgb '#ffffff'
set label '20' at first 7,8 center front tc rgb '#ffffff'
set label '22' at first 8,8 center front tc rgb '#ffffff'
set label '18' at first 9,8 center front tc rgb '#ffffff'
set label '36' at first 0,7 center front tc rgb '#000000'
set label '33' at first 1,7 center front tc rgb '#000000'
set label '43' at first 3,7 center front tc rgb '#000000'
set label '24' at first 4,7 center front tc rgb '#ffffff'
set label '31' at first 5,7 center front tc rgb '#000000'
set label '32' at first 6,7 center front tc rgb '#000000'
set label '23' at first 7,7 center front tc rgb '#ffffff'
set label '29' at first 8,7 center front tc rgb '#000000'
set label '17' at first 9,7 center front tc rgb '#ffffff'
set label '29' at first 0,6 center front tc rgb '#000000'
set label '28' at first 1,6 center front tc rgb '#ffffff'
set label '43' at first 2,6 center front tc rgb '#000000'
set label '21' at first 4,6 center front tc rgb '#ffffff'
set label '35' at first 5,6 center front tc rgb '#000000'
set label '26' at first 6,6 center front tc rgb '#ffffff'
set label '38' at first 7,6 center front tc rgb '#000000'
set label '26' at first 8,6 center front tc rgb '#ffffff'
set label '26' at first 9,6 center front tc rgb '#ffffff'
set label '22' at first 0,5 center front tc rgb '#ffffff'
set label '21' at first 1,5 center front tc rgb '#ffffff'
set label '24' at first 2,5 center front tc rgb '#ffffff'
set label '21' at first 3,5 center front tc rgb '#ffffff'
set label '25' at first 5,5 center front tc rgb '#ffffff'
set label '26' at first 6,5 center front tc rgb '#ffffff'
set label '24' at first 7,5 center front tc rgb '#ffffff'
set label '29' at first 8,5 center front tc rgb '#000000'
set label '25' at first 9,5 center front tc rgb '#ffffff'
set label '27' at first 0,4 center front tc rgb '#ffffff'
set label '20' at first 1,4 center front tc rgb '#ffffff'
set label '31' at first 2,4 center front tc rgb '#000000'
set label '35' at first 3,4 center front tc rgb '#000000'
set label '25' at first 4,4 center front tc rgb '#ffffff'
set label '27' at first 6,4 center front tc rgb '#ffffff'
set label '26' at first 7,4 center front tc rgb '#ffffff'
set label '36' at first 8,4 center front tc rgb '#000000'
set label '24' at first 9,4 center front tc rgb '#ffffff'
set label '33' at first 0,3 center front tc rgb '#000000'
set label '22' at first 1,3 center front tc rgb '#ffffff'
set label '32' at first 2,3 center front tc rgb '#000000'
set label '26' at first 3,3 center front tc rgb '#ffffff'
set label '26' at first 4,3 center front tc rgb '#ffffff'
set label '27' at first 5,3 center front tc rgb '#ffffff'
set label '20' at first 7,3 center front tc rgb '#ffffff'
set label '26' at first 8,3 center front tc rgb '#ffffff'
set label '19' at first 9,3 center front tc rgb '#ffffff'
set label '27' at first 0,2 center front tc rgb '#ffffff'
set label '20' at first 1,2 center front tc rgb '#ffffff'
set label '23' at first 2,2 center front tc rgb '#ffffff'
set label '38' at first 3,2 center front tc rgb '#000000'
set label '24' at first 4,2 center front tc rgb '#ffffff'
set label '26' at first 5,2 center front tc rgb '#ffffff'
set label '20' at first 6,2 center front tc rgb '#ffffff'
set label '20' at first 8,2 center front tc rgb '#ffffff'
set label '38' at first 9,2 center front tc rgb '#000000'
set label '28' at first 0,1 center front tc rgb '#ffffff'
set label '22' at first 1,1 center front tc rgb '#ffffff'
set label '29' at first 2,1 center front tc rgb '#000000'
set label '26' at first 3,1 center front tc rgb '#ffffff'
set label '29' at first 4,1 center front tc rgb '#000000'
set label '36' at first 5,1 center front tc rgb '#000000'
set label '26' at first 6,1 center front tc rgb '#ffffff'
set label '20' at first 7,1 center front tc rgb '#ffffff'
set label '23' at first 9,1 center front tc rgb '#ffffff'
set label '20' at first 0,0 center front tc rgb '#ffffff'
set label '18' at first 1,0 center front tc rgb '#ffffff'
set label '17' at first 2,0 center front tc rgb '#ffffff'
set label '26' at first 3,0 center front tc rgb '#ffffff'
set label '25' at first 4,0 center front tc rgb '#ffffff'
set label '24' at first 5,0 center front tc rgb '#ffffff'
set label '19' at first 6,0 center front tc rgb '#ffffff'
set label '38' at first 7,0 center front tc rgb '#000000'
set label '23' at first 8,0 center front tc rgb '#ffffff'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel1_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.05264387217
set rmargin at screen 0.4659772055
set bmargin at screen 0.06642857143
set tmargin at screen 0.465
set label 'Linear prototypes, euclidean (unit 10)' at screen 0.2593105388,0.4846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 6 of 45 pairs' at screen 0.2593105388,0.01678571429 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [-12.24331772:-5.999246997] noextend
unset key
set label '−9' at first 1,9 center front tc rgb '#000000'
set label '−8' at first 2,9 center front tc rgb '#000000'
set label '−8' at first 3,9 center front tc rgb '#000000'
set label '−8' at first 4,9 center front tc rgb '#000000'
set label '−9' at first 5,9 center front tc rgb '#000000'
set label '−7' at first 6,9 center front tc rgb '#000000'
set label '−9' at first 7,9 center front tc rgb '#000000'
set label '−6' at first 8,9 center front tc rgb '#000000'
set label '−9' at first 9,9 center front tc rgb '#000000'
set label '−9' at first 0,8 center front tc rgb '#000000'
set label '−8' at first 2,8 center front tc rgb '#000000'
set label '−8' at first 3,8 center front tc rgb '#000000'
set label '−8' at first 4,8 center front tc rgb '#000000'
set label '−10' at first 5,8 center front tc rgb '#ffffff'
set label '−9' at first 6,8 center front tc rgb '#000000'
set label '−10' at first 7,8 center front tc rgb '#ffffff'
set label '−7' at first 8,8 center front tc rgb '#000000'
set label '−9' at first 9,8 center front tc rgb '#000000'
set label '−8' at first 0,7 center front tc rgb '#000000'
set label '−8' at first 1,7 center front tc rgb '#000000'
set label '−8' at first 3,7 center front tc rgb '#000000'
set label '−10' at first 4,7 center front tc rgb '#ffffff'
set label '−11' at first 5,7 center front tc rgb '#ffffff'
set label '−9' at first 6,7 center front tc rgb '#000000'
set label '−12' at first 7,7 center front tc rgb '#ffffff'
set label '−8' at first 8,7 center front tc rgb '#000000'
set label '−12' at first 9,7 center front tc rgb '#ffffff'
set label '−8' at first 0,6 center front tc rgb '#000000'
set label '−8' at first 1,6 center front tc rgb '#000000'
set label '−8' at first 2,6 center front tc rgb '#000000'
set label '−10' at first 4,6 center front tc rgb '#ffffff'
set label '−9' at first 5,6 center front tc rgb '#000000'
set label '−10' at first 6,6 center front tc rgb '#ffffff'
set label '−8' at first 7,6 center front tc rgb '#000000'
set label '−8' at first 8,6 center front tc rgb '#000000'
set label '−9' at first 9,6 center front tc rgb '#000000'
set label '−8' at first 0,5 center front tc rgb '#000000'
set label '−8' at first 1,5 center front tc rgb '#000000'
set label '−10' at first 2,5 center front tc rgb '#ffffff'
set label '−10' at first 3,5 center front tc rgb '#ffffff'
set label '−10' at first 5,5 center front tc rgb '#000000'
set label '−8' at first 6,5 center front tc rgb '#000000'
set label '−10' at first 7,5 center front tc rgb '#ffffff'
set label '−6' at first 8,5 center front tc rgb '#000000'
set label '−8' at first 9,5 center front tc rgb '#000000'
set label '−9' at first 0,4 center front tc rgb '#000000'
set label '−10' at first 1,4 center front tc rgb '#ffffff'
set label '−11' at first 2,4 center front tc rgb '#ffffff'
set label '−9' at first 3,4 center front tc rgb '#000000'
set label '−10' at first 4,4 center front tc rgb '#000000'
set label '−10' at first 6,4 center front tc rgb '#ffffff'
set label '−11' at first 7,4 center front tc rgb '#ffffff'
set label '−7' at first 8,4 center front tc rgb '#000000'
set label '−10' at first 9,4 center front tc rgb '#ffffff'
set label '−7' at first 0,3 center front tc rgb '#000000'
set label '−9' at first 1,3 center front tc rgb '#000000'
set label '−9' at first 2,3 center front tc rgb '#000000'
set label '−10' at first 3,3 center front tc rgb '#ffffff'
set label '−8' at first 4,3 center front tc rgb '#000000'
set label '−10' at first 5,3 center front tc rgb '#ffffff'
set label '−12' at first 7,3 center front tc rgb '#ffffff'
set label '−8' at first 8,3 center front tc rgb '#000000'
set label '−10' at first 9,3 center front tc rgb '#ffffff'
set label '−9' at first 0,2 center front tc rgb '#000000'
set label '−10' at first 1,2 center front tc rgb '#ffffff'
set label '−12' at first 2,2 center front tc rgb '#ffffff'
set label '−8' at first 3,2 center front tc rgb '#000000'
set label '−10' at first 4,2 center front tc rgb '#ffffff'
set label '−11' at first 5,2 center front tc rgb '#ffffff'
set label '−12' at first 6,2 center front tc rgb '#ffffff'
set label '−10' at first 8,2 center front tc rgb '#ffffff'
set label '−7' at first 9,2 center front tc rgb '#000000'
set label '−6' at first 0,1 center front tc rgb '#000000'
set label '−7' at first 1,1 center front tc rgb '#000000'
set label '−8' at first 2,1 center front tc rgb '#000000'
set label '−8' at first 3,1 center front tc rgb '#000000'
set label '−6' at first 4,1 center front tc rgb '#000000'
set label '−7' at first 5,1 center front tc rgb '#000000'
set label '−8' at first 6,1 center front tc rgb '#000000'
set label '−10' at first 7,1 center front tc rgb '#ffffff'
set label '−7' at first 9,1 center front tc rgb '#000000'
set label '−9' at first 0,0 center front tc rgb '#000000'
set label '−9' at first 1,0 center front tc rgb '#000000'
set label '−12' at first 2,0 center front tc rgb '#ffffff'
set label '−9' at first 3,0 center front tc rgb '#000000'
set label '−8' at first 4,0 center front tc rgb '#000000'
set label '−10' at first 5,0 center front tc rgb '#ffffff'
set label '−10' at first 6,0 center front tc rgb '#ffffff'
set label '−7' at first 7,0 center front tc rgb '#000000'
set label '−7' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel2_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5526438722
set rmargin at screen 0.9659772055
set bmargin at screen 0.06642857143
set tmargin at screen 0.465
set label 'Linear prototypes, yat' at screen 0.7593105388,0.4846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 2 of 45 pairs' at screen 0.7593105388,0.01678571429 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [2.398855369:23.7983983] noextend
unset key
set label '3' at first 1,9 center front tc rgb '#ffffff'
set label '17' at first 2,9 center front tc rgb '#000000'
set label '10' at first 3,9 center front tc rgb '#ffffff'
set label '6' at first 4,9 center front tc rgb '#ffffff'
set label '8' at first 5,9 center front tc rgb '#ffffff'
set label '16' at first 6,9 center front tc rgb '#000000'
set label '8' at first 7,9 center front tc rgb '#ffffff'
set label '12' at first 8,9 center front tc rgb '#000000'
set label '5' at first 9,9 center front tc rgb '#ffffff'
set label '3' at first 0,8 center front tc rgb '#ffffff'
set label '14' at first 2,8 center front tc rgb '#000000'
set label '10' at first 3,8 center front tc rgb '#ffffff'
set label '5' at first 4,8 center front tc rgb '#ffffff'
set label '4' at first 5,8 center front tc rgb '#ffffff'
set label '6' at first 6,8 center front tc rgb '#ffffff'
set label '4' at first 7,8 center front tc rgb '#ffffff'
set label '7' at first 8,8 center front tc rgb '#ffffff'
set label '3' at first 9,8 center front tc rgb '#ffffff'
set label '17' at first 0,7 center front tc rgb '#000000'
set label '14' at first 1,7 center front tc rgb '#000000'
set label '24' at first 3,7 center front tc rgb '#000000'
set label '5' at first 4,7 center front tc rgb '#ffffff'
set label '9' at first 5,7 center front tc rgb '#ffffff'
set label '11' at first 6,7 center front tc rgb '#ffffff'
set label '4' at first 7,7 center front tc rgb '#ffffff'
set label '10' at first 8,7 center front tc rgb '#ffffff'
set label '2' at first 9,7 center front tc rgb '#ffffff'
set label '10' at first 0,6 center front tc rgb '#ffffff'
set label '10' at first 1,6 center front tc rgb '#ffffff'
set label '24' at first 2,6 center front tc rgb '#000000'
set label '4' at first 4,6 center front tc rgb '#ffffff'
set label '14' at first 5,6 center front tc rgb '#000000'
set label '7' at first 6,6 center front tc rgb '#ffffff'
set label '18' at first 7,6 center front tc rgb '#000000'
set label '8' at first 8,6 center front tc rgb '#ffffff'
set label '8' at first 9,6 center front tc rgb '#ffffff'
set label '6' at first 0,5 center front tc rgb '#ffffff'
set label '5' at first 1,5 center front tc rgb '#ffffff'
set label '5' at first 2,5 center front tc rgb '#ffffff'
set label '4' at first 3,5 center front tc rgb '#ffffff'
set label '7' at first 5,5 center front tc rgb '#ffffff'
set label '8' at first 6,5 center front tc rgb '#ffffff'
set label '6' at first 7,5 center front tc rgb '#ffffff'
set label '14' at first 8,5 center front tc rgb '#000000'
set label '8' at first 9,5 center front tc rgb '#ffffff'
set label '8' at first 0,4 center front tc rgb '#ffffff'
set label '4' at first 1,4 center front tc rgb '#ffffff'
set label '9' at first 2,4 center front tc rgb '#ffffff'
set label '14' at first 3,4 center front tc rgb '#000000'
set label '7' at first 4,4 center front tc rgb '#ffffff'
set label '7' at first 6,4 center front tc rgb '#ffffff'
set label '6' at first 7,4 center front tc rgb '#ffffff'
set label '20' at first 8,4 center front tc rgb '#000000'
set label '6' at first 9,4 center front tc rgb '#ffffff'
set label '16' at first 0,3 center front tc rgb '#000000'
set label '6' at first 1,3 center front tc rgb '#ffffff'
set label '11' at first 2,3 center front tc rgb '#ffffff'
set label '7' at first 3,3 center front tc rgb '#ffffff'
set label '8' at first 4,3 center front tc rgb '#ffffff'
set label '7' at first 5,3 center front tc rgb '#ffffff'
set label '4' at first 7,3 center front tc rgb '#ffffff'
set label '9' at first 8,3 center front tc rgb '#ffffff'
set label '4' at first 9,3 center front tc rgb '#ffffff'
set label '8' at first 0,2 center front tc rgb '#ffffff'
set label '4' at first 1,2 center front tc rgb '#ffffff'
set label '4' at first 2,2 center front tc rgb '#ffffff'
set label '18' at first 3,2 center front tc rgb '#000000'
set label '6' at first 4,2 center front tc rgb '#ffffff'
set label '6' at first 5,2 center front tc rgb '#ffffff'
set label '4' at first 6,2 center front tc rgb '#ffffff'
set label '4' at first 8,2 center front tc rgb '#ffffff'
set label '20' at first 9,2 center front tc rgb '#000000'
set label '12' at first 0,1 center front tc rgb '#000000'
set label '7' at first 1,1 center front tc rgb '#ffffff'
set label '10' at first 2,1 center front tc rgb '#ffffff'
set label '8' at first 3,1 center front tc rgb '#ffffff'
set label '14' at first 4,1 center front tc rgb '#000000'
set label '20' at first 5,1 center front tc rgb '#000000'
set label '9' at first 6,1 center front tc rgb '#ffffff'
set label '4' at first 7,1 center front tc rgb '#ffffff'
set label '7' at first 9,1 center front tc rgb '#ffffff'
set label '5' at first 0,0 center front tc rgb '#ffffff'
set label '3' at first 1,0 center front tc rgb '#ffffff'
set label '2' at first 2,0 center front tc rgb '#ffffff'
set label '8' at first 3,0 center front tc rgb '#ffffff'
set label '8' at first 4,0 center front tc rgb '#ffffff'
set label '6' at first 5,0 center front tc rgb '#ffffff'
set label '4' at first 6,0 center front tc rgb '#ffffff'
set label '20' at first 7,0 center front tc rgb '#000000'
set label '7' at first 8,0 center front tc rgb '#ffffff'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel3_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle
unset multiplot
unset output
