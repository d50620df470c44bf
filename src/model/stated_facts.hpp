#pragma once

#include "tacit/method.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1 {

// What a certificate states beside its steps, against what a run of the method would have stated: a page
// shows all of it, so an invented or edited one must not pass. Each throws VerificationError that names the
// first difference.

// No option has a name that the method's table does not have.
void check_options_are_the_methods(const Certificate& certificate, const Method& method);
// They are those that the method states for such a run, and as many.
void check_rebuilt_options(const Certificate& certificate, const Method& method);
// The shape is that of the model; what else is public is the method's, or says where something comes from.
void check_assumed_public(const FittedModel& model, const Method& method);
// A group is of records, is named as one can be, and its assumption is stated; where the file has a schema
// that uses the group's column, the group is one of its categories.
void check_group_facts(const Facts& stated, Unit unit, const Schema* schema = nullptr);
// The group's column and value; both are empty without a group. No column of a group has a "=" in its name.
std::pair<std::string, std::string> group_in(const Facts& stated);
// What the method takes for granted in such a run.
std::vector<std::string> assumptions_of(const Method& method, const Certificate& certificate);
// The sentences follow from the method and the facts, and nothing that follows is left out.
void check_assumptions(const Certificate& certificate, const Method& method, std::size_t format);

}  // namespace tacit::inline v1
