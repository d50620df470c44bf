#pragma once

// All of tacit.
//
//     #include <tacit/tacit.hpp>

#include "tacit/account.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"
#include "tacit/custom_loss.hpp"
#include "tacit/data.hpp"
#include "tacit/domain.hpp"
#include "tacit/fit.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/ledger.hpp"
#include "tacit/loss.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"
#include "tacit/problem.hpp"
#include "tacit/root_meter.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "tacit/verify.hpp"
#include "tacit/version.hpp"
