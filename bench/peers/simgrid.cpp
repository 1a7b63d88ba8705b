// SPDX-License-Identifier: Apache-2.0
// SimGrid (s4u), a simulator whose actors are threads of control: the traffic of messages.h.
//
// It is set up to be as fast as it can: its own context switch, small stacks without guard pages,
// nothing logged or traced, no execution modelled. `messages` has the model of a network of which a
// message's flow shares the links' bandwidth, without what it adds for TCP; in `messages_constant`
// each message takes the same time and there are no links at all.
//
// SimGrid can be set up once in a process, so each run has a process of its own.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include "../leaves.h"
#include "../messages.h"
#include "../serve.h"

namespace s4u = simgrid::s4u;

namespace
{

// As on Edison: what a message takes from place to place, and bytes a second.
const double latency = 1.4e-6, bandwidth = 1e10;
const long message_bytes = 32;

struct simulation {
    sim_traffic_shape shape;
    uint32_t rounds;
    uint32_t actors, stride; // of all places
    std::vector<s4u::Mailbox *> box;
    s4u::BarrierPtr ready;
    uint64_t sum = 0;
    double begun = 0, ended = 0;
    double bytes_before = 0, bytes = 0; // without actors; when all wait
};

// Sends in one round, and receives. Of the ways to do both this is the fastest; detached sends are
// all kept in one list, which is searched when one ends.
uint64_t go_round(const simulation &all, uint32_t self, uint32_t base, uint32_t round)
{
    uint32_t partner = sim_traffic_partner(all.actors, base, round);
    auto number = reinterpret_cast<void *>(sim_traffic_number(self, round));
    void *received = nullptr;
    auto receiving = all.box[self]->get_async<void>(&received);
    all.box[partner]->put(number, message_bytes);
    receiving->wait();
    return reinterpret_cast<uint64_t>(received);
}

// All run in one thread, in turn.
void act(simulation &all, uint32_t self)
{
    auto base = static_cast<uint32_t>(static_cast<uint64_t>(self) * all.stride % all.actors);
    uint64_t sum = 0;
    go_round(all, self, base, 0);
    all.ready->wait();
    if (all.begun == 0) {
        all.bytes = twb_resident_bytes();
        all.begun = twb_seconds();
    }
    for (uint32_t round = 1; round <= all.rounds; round++)
        sum += go_round(all, self, base, round);
    all.sum += sum;
    all.ended = twb_seconds();
}

// From a place to the switch and back.
void add_cable(s4u::NetZone *zone, const s4u::Host *host)
{
    auto *link = zone->create_split_duplex_link(host->get_name(), bandwidth);
    s4u::LinkInRoute out(link->set_latency(latency / 2), s4u::LinkInRoute::Direction::UP);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {out}, true);
}

std::vector<s4u::Host *> make_places(uint32_t places, bool constant)
{
    std::vector<s4u::Host *> hosts;
    auto *zone = constant ? s4u::create_empty_zone("machine") : s4u::create_star_zone("machine");
    for (uint32_t i = 0; i < places; i++) {
        hosts.push_back(zone->create_host(std::to_string(i), 1e9));
        if (!constant)
            add_cable(zone, hosts.back());
    }
    zone->seal();
    return hosts;
}

void make_actors(simulation &all, const std::vector<s4u::Host *> &hosts)
{
    all.ready = s4u::Barrier::create(all.actors);
    for (uint32_t i = 0; i < all.actors; i++)
        all.box.push_back(s4u::Mailbox::by_name(std::to_string(i)));
    for (uint32_t i = 0; i < all.actors; i++)
        s4u::Actor::create("", hosts[i / all.shape.actors], [&all, i] { act(all, i); });
}

void set_up(bool constant)
{
    std::vector<std::string> words = {
        "simgrid",
        "--log=root.thres:critical",
        "--cfg=contexts/factory:raw",
        "--cfg=contexts/stack-size:16",
        "--cfg=contexts/guard-size:0",
        "--cfg=network/TCP-gamma:0",
        "--cfg=network/crosstraffic:0",
    };
    if (constant) {
        words.push_back("--cfg=network/model:Constant");
        words.push_back("--cfg=network/latency-factor:" + std::to_string(latency));
    } else
        words.push_back("--cfg=network/model:CM02");
    std::vector<char *> argv;
    for (auto &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    new s4u::Engine(&argc, argv.data()); // there until the process ends
}

simulation simulate(const twb_job *job, bool constant)
{
    simulation all;
    all.shape = twb_messages_read(job->parameters);
    all.rounds = static_cast<uint32_t>(job->size);
    all.actors = sim_traffic_actors(&all.shape);
    all.stride = sim_traffic_stride(all.actors);
    set_up(constant);
    all.bytes_before = twb_resident_bytes();
    make_actors(all, make_places(all.shape.places, constant));
    s4u::Engine::get_instance()->run();
    return all;
}

twb_answer seconds_of(const simulation &all)
{
    return {all.ended - all.begun, all.sum};
}

twb_answer bytes_of(const simulation &all)
{
    return {(all.bytes - all.bytes_before) / all.actors, all.sum};
}

// Simulates in another process, which writes its answer into a pipe.
twb_answer apart(const twb_job *job, bool constant, twb_answer (*answer_of)(const simulation &))
{
    int ends[2], status;
    twb_answer answer;
    if (pipe(ends) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        answer = answer_of(simulate(job, constant));
        _exit(write(ends[1], &answer, sizeof answer) == sizeof answer ? 0 : 1);
    }
    close(ends[1]);
    bool whole = read(ends[0], &answer, sizeof answer) == sizeof answer;
    close(ends[0]);
    if (child < 0 || !whole || waitpid(child, &status, 0) != child || status != 0)
        exit(2);
    return answer;
}

twb_answer run_messages(const twb_job *job)
{
    return apart(job, false, seconds_of);
}

twb_answer run_messages_constant(const twb_job *job)
{
    return apart(job, true, seconds_of);
}

twb_answer run_messages_bytes(const twb_job *job)
{
    return apart(job, false, bytes_of);
}

const twb_case cases[] = {
    {"messages", run_messages},
    {"messages_constant", run_messages_constant},
    {"messages_bytes", run_messages_bytes},
    {nullptr, nullptr},
};

} // namespace

int main(int argc, char **argv)
{
    int major, minor, patch;
    sg_version_get(&major, &minor, &patch);
    std::string about = "SimGrid " + std::to_string(major) + "." + std::to_string(minor);
    if (patch != 0)
        about += "." + std::to_string(patch);
    return twb_serve(cases, about.c_str(), argc - 1, argv + 1);
}
