#include "core/data/wikitext_plain.h"

#include "catch.h"

namespace yatlab {

TEST_CASE("WikiText is converted to ordinary text", "[wikitext]") {
  const auto plain = [](const char* text) { return plain_wikitext(text); };
  CHECK(plain(" The game 's 3 @,@ 500 units , a 2 @.@ 5 @-@ inch gun ( 1942 ) were \" very good \" . \n") ==
        " The game's 3,500 units, a 2.5-inch gun (1942) were \"very good\". \n");
  CHECK(plain("one \" two \" three \" four \" .") == "one \"two\" three \"four\" .");
  CHECK(plain("a \" b\nc \" d \" e") == "a \"b\nc \"d\" e");  // quotes end with their line
  CHECK(plain("he didn 't , they 'll see , she said ; why ? no !\n\nx") == "he didn't, they'll see, she said; why? no !\n\nx");
  CHECK(plain("the players ' ball") == "the players' ball");
  CHECK(plain("") == "");
  CHECK(plain("no changes\n") == "no changes\n");
}

TEST_CASE("words are separated by white space", "[wikitext]") {
  CHECK(count_words("") == 0);
  CHECK(count_words(" \n ") == 0);
  CHECK(count_words("a  b\n\n c") == 3);
  CHECK(count_words("one word,  two\n\tand-three ") == 4);
}

}  // namespace yatlab
