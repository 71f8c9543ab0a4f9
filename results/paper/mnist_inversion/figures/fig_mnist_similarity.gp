# Figure fig_mnist_similarity, drawn by yatlab: gnuplot -c fig_mnist_similarity.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 9 NaN
1 9 27.913459
2 9 49.3614981
3 9 42.18160703
4 9 35.55633926
5 9 38.54124207
6 9 49.22469671
7 9 37.56135009
8 9 47.37343144
9 9 31.47754285
0 8 27.913459
1 8 NaN
2 8 45.87520929
3 8 41.15307542
4 8 33.5785155
5 8 28.18191411
6 8 33.79454943
7 8 27.97876011
8 8 37.62676161
9 8 27.82247251
0 7 49.3614981
1 7 45.87520929
2 7 NaN
3 7 52.73510227
4 7 31.89163653
5 7 37.11000271
6 7 40.93856804
7 7 27.69023148
8 7 42.08936121
9 7 22.40491999
0 6 42.18160703
1 6 41.15307542
2 6 52.73510227
3 6 NaN
4 6 29.85315811
5 6 43.72276752
6 6 34.71430845
7 6 47.86937321
8 6 39.95294721
9 6 36.83676739
0 5 35.55633926
1 5 33.5785155
2 5 31.89163653
3 5 29.85315811
4 5 NaN
5 5 34.97658851
6 5 39.07725895
7 5 32.94978554
8 5 49.63032209
9 5 38.14474824
0 4 38.54124207
1 4 28.18191411
2 4 37.11000271
3 4 43.72276752
4 4 34.97658851
5 4 NaN
6 4 34.61981252
7 4 30.8935972
8 4 53.12627669
9 4 32.18018039
0 3 49.22469671
1 3 33.79454943
2 3 40.93856804
3 3 34.71430845
4 3 39.07725895
5 3 34.61981252
6 3 NaN
7 3 26.09764504
8 3 41.50033085
9 3 27.51512261
0 2 37.56135009
1 2 27.97876011
2 2 27.69023148
3 2 47.86937321
4 2 32.94978554
5 2 30.8935972
6 2 26.09764504
7 2 NaN
8 2 29.29884073
9 2 51.15636068
0 1 47.37343144
1 1 37.62676161
2 1 42.08936121
3 1 39.95294721
4 1 49.63032209
5 1 53.12627669
6 1 41.50033085
7 1 29.29884073
8 1 NaN
9 1 38.38240215
0 0 31.47754285
1 0 27.82247251
2 0 22.40491999
3 0 36.83676739
4 0 38.14474824
5 0 32.18018039
6 0 27.51512261
7 0 51.15636068
8 0 38.38240215
9 0 NaN
EOD
$panel1_heat0 << EOD
0 9 NaN
1 9 16.99869011
2 9 35.75564288
3 9 28.97459729
4 9 22.18247971
5 9 27.37970351
6 9 32.77324319
7 9 26.91923841
8 9 27.60406658
9 9 19.98519184
0 8 16.99869011
1 8 NaN
2 8 32.99865388
3 8 28.07103913
4 8 20.80254404
5 8 19.88087193
6 8 22.34317764
7 8 19.91186531
8 8 21.77193209
9 8 17.5414353
0 7 35.75564288
1 7 32.99865388
2 7 NaN
3 7 42.78686288
4 7 23.50099353
5 7 31.13941046
6 7 32.19477432
7 7 23.44037347
8 7 28.96856105
9 7 16.80224298
0 6 28.97459729
1 6 28.07103913
2 6 42.78686288
3 6 NaN
4 6 20.86112505
5 6 34.79085259
6 6 25.8880467
7 6 38.42675483
8 6 26.07602795
9 6 26.19650797
0 5 22.18247971
1 5 20.80254404
2 5 23.50099353
3 5 20.86112505
4 5 NaN
5 5 25.27747213
6 5 26.46754271
7 5 24.02300464
8 5 29.41971591
9 5 24.63743031
0 4 27.37970351
1 4 19.88087193
2 4 31.13941046
3 4 34.79085259
4 4 25.27747213
5 4 NaN
6 4 26.70079696
7 4 25.64798173
8 4 35.86003785
9 4 23.66786661
0 3 32.77324319
1 3 22.34317764
2 3 32.19477432
3 3 25.8880467
4 3 26.46754271
5 3 26.70079696
6 3 NaN
7 3 20.30576581
8 3 26.25344258
9 3 18.96598612
0 2 26.91923841
1 2 19.91186531
2 2 23.44037347
3 2 38.42675483
4 2 24.02300464
5 2 25.64798173
6 2 20.30576581
7 2 NaN
8 2 19.95126059
9 2 37.95673256
0 1 27.60406658
1 1 21.77193209
2 1 28.96856105
3 1 26.07602795
4 1 29.41971591
5 1 35.86003785
6 1 26.25344258
7 1 19.95126059
8 1 NaN
9 1 23.15463709
0 0 19.98519184
1 0 17.5414353
2 0 16.80224298
3 0 26.19650797
4 0 24.63743031
5 0 23.66786661
6 0 18.96598612
7 0 37.95673256
8 0 23.15463709
9 0 NaN
EOD
$panel2_heat0 << EOD
0 9 NaN
1 9 -8.780125493
2 9 -7.537440842
3 9 -8.031551508
4 9 -8.042711322
5 9 -8.885954452
6 9 -6.806129112
7 9 -9.124040929
8 9 -6.148235586
9 9 -8.70866822
0 8 -8.780125493
1 8 NaN
2 8 -8.003636171
3 8 -8.127060671
4 8 -8.233495986
5 8 -10.3005183
6 8 -8.806939751
7 8 -10.44031308
8 8 -7.229460013
9 8 -9.112217058
0 7 -7.537440842
1 7 -8.003636171
2 7 NaN
3 7 -7.692601822
4 7 -10.20251199
5 7 -10.55751649
6 7 -9.345326319
7 7 -12.24331735
8 7 -8.298840125
9 7 -11.76876142
0 6 -8.031551508
1 6 -8.127060671
2 6 -7.692601822
3 6 NaN
4 6 -9.868387235
5 6 -8.965129617
6 6 -9.744573391
7 6 -8.383942626
8 6 -8.015248293
9 6 -9.027809975
0 5 -8.042711322
1 5 -8.233495986
2 5 -10.20251199
3 5 -9.868387235
4 5 NaN
5 5 -9.520542007
6 5 -8.281410486
7 5 -9.917428961
8 5 -5.999247
9 5 -7.992361806
0 4 -8.885954452
1 4 -10.3005183
2 4 -10.55751649
3 4 -8.965129617
4 4 -9.520542007
5 4 NaN
6 4 -10.11744753
7 4 -11.47512143
8 4 -6.593870501
9 4 -10.06896244
0 3 -6.806129112
1 3 -8.806939751
2 3 -9.345326319
3 3 -9.744573391
4 3 -8.281410486
5 3 -10.11744753
6 3 NaN
7 3 -11.54244721
8 3 -7.51407215
9 3 -10.00822113
0 2 -9.124040929
1 2 -10.44031308
2 2 -12.24331735
3 2 -8.383942626
4 2 -9.917428961
5 2 -11.47512143
6 2 -11.54244721
7 2 NaN
8 2 -9.92161941
9 2 -7.357182702
0 1 -6.148235586
1 1 -7.229460013
2 1 -8.298840125
3 1 -8.015248293
4 1 -5.999247
5 1 -6.593870501
6 1 -7.51407215
7 1 -9.92161941
8 1 NaN
9 1 -7.478762087
0 0 -8.70866822
1 0 -9.112217058
2 0 -11.76876142
3 0 -9.027809975
4 0 -7.992361806
5 0 -10.06896244
6 0 -10.00822113
7 0 -7.357182702
8 0 -7.478762087
9 0 NaN
EOD
$panel3_heat0 << EOD
0 9 NaN
1 9 3.291017113
2 9 16.96153714
3 9 10.45286434
4 9 6.11811521
5 9 8.436325933
6 9 15.78114804
7 9 7.942153291
8 9 12.39354539
9 9 4.586325221
0 8 3.291017113
1 8 NaN
2 8 13.60520392
3 8 9.695794983
4 8 5.255917858
5 8 3.83717614
6 8 5.668456292
7 8 3.797609699
8 8 6.556740898
9 8 3.376806289
0 7 16.96153714
1 7 13.60520392
2 7 NaN
3 7 23.79839019
4 7 5.413339807
5 7 9.184572837
6 7 11.09114168
7 7 4.487762979
8 7 10.11198451
9 7 2.398853499
0 6 10.45286434
1 6 9.695794983
2 6 23.79839019
3 6 NaN
4 6 4.40990492
5 6 13.50123579
6 6 6.877580642
7 6 17.61242147
8 6 8.483319844
9 6 7.601588377
0 5 6.11811521
1 5 5.255917858
2 5 5.413339807
3 5 4.40990492
4 5 NaN
5 5 6.711283137
6 5 8.459075102
7 5 5.819095818
8 5 14.42713627
9 5 7.594787509
0 4 8.436325933
1 4 3.83717614
2 4 9.184572837
3 4 13.50123579
4 4 6.711283137
5 4 NaN
6 4 7.046564717
7 4 5.732565995
8 4 19.50208333
9 4 5.563312582
0 3 15.78114804
1 3 5.668456292
2 3 11.09114168
3 3 6.877580642
4 3 8.459075102
5 3 7.046564717
6 3 NaN
7 3 3.572241498
8 3 9.172698133
9 3 3.594131154
0 2 7.942153291
1 2 3.797609699
2 2 4.487762979
3 2 17.61242147
4 2 5.819095818
5 2 5.732565995
6 2 3.572241498
7 2 NaN
8 2 4.011973676
9 2 19.58240551
0 1 12.39354539
1 1 6.556740898
2 1 10.11198451
3 1 8.483319844
4 1 14.42713627
5 1 19.50208333
6 1 9.172698133
7 1 4.011973676
8 1 NaN
9 1 7.168795327
0 0 4.586325221
1 0 3.376806289
2 0 2.398853499
3 0 7.601588377
4 0 7.594787509
5 0 5.563312582
6 0 3.594131154
7 0 19.58240551
8 0 7.168795327
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
set cbrange [22.40491999:53.12627669] noextend
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
set cbrange [16.80224298:42.78686288] noextend
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
set cbrange [-12.24331735:-5.999247] noextend
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
set cbrange [2.398853499:23.79839019] noextend
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
