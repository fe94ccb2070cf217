// SPDX-License-Identifier: Apache-2.0
// Free bodies that bounce off others within a step.
#pragma once

#include "world/body_contact.h"

#include <span>

namespace talus::world {

/// When within the step bodies meet that are to bounce, how fast, and what speed and gap that leaves at its end; once velocities have what gravity and
/// loads give in the step.
void timeBounces(std::span<BodyTouch>, std::span<const ContactBody>, double dt);

/// Bodies that bounced have moved as if they did so from where they were: moves them to the gap at the end of the step.
void placeBounces(std::span<const BodyTouch>, std::span<ContactBody>);

}  // namespace talus::world
