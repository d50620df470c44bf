#include <tacit/core/version.hpp>

#include <cstdio>

int main() { std::printf("tacit %s\n", tacit::version); }
