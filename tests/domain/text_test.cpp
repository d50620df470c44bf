#include "domain/text.hpp"

#include <gtest/gtest.h>

#include "tacit/core.hpp"

namespace tacit {
namespace {

TEST(DomainText, ReadsBallsAndBoxes) {
  const Ball around_zero = std::get<Ball>(parse_domain("ball:2.5", 3));
  EXPECT_EQ(around_zero.radius, 2.5);
  EXPECT_EQ(around_zero.center, Vector::Zero(3));
  const Ball moved = std::get<Ball>(parse_domain("ball:1@0.5,-2", 2));
  EXPECT_EQ(moved.center, (Vector{{0.5, -2}}));
  const Box alike = std::get<Box>(parse_domain("box:-1,2", 2));
  EXPECT_EQ(alike.lower, Vector::Constant(2, -1));
  EXPECT_EQ(alike.upper, Vector::Constant(2, 2));
  const Box own = std::get<Box>(parse_domain("box:-1,2;0,0.5", 2));
  EXPECT_EQ(own.lower, (Vector{{-1, 0}}));
  EXPECT_EQ(own.upper, (Vector{{2, 0.5}}));
}

TEST(DomainText, WritesWhatItReads) {
  for (const std::string text :
       {"ball:0.1", "ball:3@0.1,1e-30,-7", "box:-1,2;0.30000000000000004,0.5;-1e+20,0",
        "polytope:1,0,0,1;-1,0,0,1;0,1,1,0.5;0,-1,-1,2;0,0,1,1;0,0,-1,1",
        "ellipsoid:0,1,0;2,0,0;0,3,0.5;0,0.5,4"})
    EXPECT_EQ(domain_text(parse_domain(text, 3)), text);
}

TEST(DomainText, RefusesWhatIsNoDomainInOneLine) {
  for (const std::string text :
       {"", "ball", "ball:", "ball:0", "ball:-1", "ball:nan", "ball:inf", "ball:1@1", "ball:1@1,2@3",
        "ball:1@a,b", "box:1", "box:2,1", "box:1,2,3", "box:0,1;0,1;0,1", "box:1,1", "box:@file", "cube:1",
        "ball:1 ", "box:0,1e40"}) {
    try {
      parse_domain(text, 2);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("expected ball:R"), std::string::npos) << error.what();
    }
  }
  for (const std::string text :
       {"polytope:1,0", "polytope:1,0,1;0,1", "ellipsoid:0,0;1,0", "ellipsoid:0,0;1,0;0,-1",
        "ellipsoid:0,0;1,2;0,1", "polytope:1,0,-1;-1,0,-1"})
    EXPECT_THROW(parse_domain(text, 2), UsageError) << text;
  EXPECT_NO_THROW(check_domain("ball:1@1,2,3,4"));
  EXPECT_THROW(check_domain("ball:1@1,2,x"), UsageError);
  EXPECT_THROW(domain_text(WholeSpace{}), UsageError);
}

}  // namespace
}  // namespace tacit
