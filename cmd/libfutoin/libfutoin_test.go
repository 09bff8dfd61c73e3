//go:build cgo

package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"
)

// cases lists the cases in testdata/cases.c, and the rules or functions that each checks.
var cases = []struct{ name, rules string }{
	{"levels", "O2: add"},
	{"arguments", "B1: values between steps, cleanups once; entry success"},
	{"dropped", "B1, L4, P2: values that reach nobody are reset once"},
	{"twice_is_violation", "E7: success twice"},
	{"errors", "E1, E2, B2: handlers rename and recover; entry handle_error"},
	{"steps_in_handler", "E2: sub-steps in a handler"},
	{"strings_are_copied", "B3, E3: code and info are copied, NULL info is none"},
	{"violations", "B9, E7, E8: each is InternalError on that run"},
	{"execute_twice", "E7: execute"},
	{"branches", "P1, P3, B7: parallel, rootId"},
	{"nested_parallel", "P1, B4: parallel in parallel, in a step"},
	{"state", "B7: stateVariable, before, while and after executing"},
	{"state_elsewhere", "B7, B9: stateVariable of a parallel step, and too late"},
	{"void_variables", "B7: stateVariable with pointers that have ended"},
	{"stack", "S3: stack, cleanups newest first, after the handler"},
	{"stack_in_cleanup", "B10: stack with the void pointer of the cleanup"},
	{"timeouts", "C3, C4: setTimeout, setCancel"},
	{"external", "C6, O5, B8: waitExternal, sched_deferred, sched_cancel, sched_is_valid, is_same_thread"},
	{"threads", "O5: completion by another thread, even before the code returns; others are refused"},
	{"thread_at_any_moment", "O5: completion by another thread while the code returns"},
	{"loops", "L1-L3, B3: loop, repeat, breakLoop, continueLoop"},
	{"no_memory", "B3: breakLoop with a label that can't be copied"},
	{"cancel", "C1: cancel, sched_immediate"},
	{"instances", "B4: newInstance, free of one made, live, and in its callback"},
	{"freed_again", "B4, B9: free and cancel by the cleanups of a root that is being freed"},
	{"guards", "G1-G5: addSync with all three guards"},
	{"layout", "B6: sizes and order"},
	{"driving", "ftngo_run, ftngo_iterate"},
	{"driven_already", "ftngo_run, ftngo_iterate, ftngo_tool_free in a callback and on another thread are refused"},
	{"shutdown", "ftngo_tool_free cancels what runs"},
	{"million", "10^6 steps without growth"},
}

// TestC runs the cases of testdata/cases.c, each in its own process. Among others they check B2, B3, B4, B7 and B9.
func TestC(t *testing.T) {
	exe := program(t, "cc", "cases.c", "-std=c11", "-D_POSIX_C_SOURCE=200809L")
	for _, c := range cases {
		t.Run(c.name+" "+c.rules, func(t *testing.T) { start(t, exe, c.name) })
	}
}

func TestCPlusPlus(t *testing.T) {
	exe := program(t, "c++", "hello.cpp", "-std=c++17")
	start(t, exe)
}

// The library works if its functions are called in the order of the C++ wrapper.
func TestFace(t *testing.T) {
	exe := program(t, "c++", "face.cpp", "-std=c++17")
	for _, c := range []struct{ name, rules string }{
		{"stack", "B10: memory of a root, a step, a parallel one, a hook's step"},
		{"stack_too_late", "B9, B10: a violation, and no NULL"},
		{"errors_said_twice", "B11: handle_error"},
		{"breaks_said_twice", "B11: breakLoop, continueLoop"},
		{"await", "B11: success, then breakLoop"},
		{"handles", "B8: a Handle of C++ asks and cancels through data2"},
	} {
		t.Run(c.name+" "+c.rules, func(t *testing.T) { start(t, exe, c.name) })
	}
}

// Calls on a loop that are carried out later keep their places in the order of calls.
func TestKept(t *testing.T) {
	exe := program(t, "cc", "kept.c", "-std=c11", "-D_POSIX_C_SOURCE=200809L")
	for _, c := range []struct{ name, rules string }{
		{"in_order", "T1: sched_immediate, also of a thread that the code waits for"},
		{"handles", "B8: sched_is_valid, sched_cancel before the code returns"},
		{"runs_out", "B8: sched_is_valid of what is being called"},
		{"once", "C6: success, then isValid, success and handle_error, also of another thread"},
		{"late", "C6: success after that of another thread"},
		{"both", "T1, O5: success of two steps, then sched_immediate"},
		{"cancelled", "C1: success, then cancel"},
		{"unlocked", "T1: sched_immediate, then unlock of a guard that another flow waits for"},
		{"freed", "B4, B7, S3: newInstance, free, stack, stateVariable"},
		{"moved", "B8: sched_is_valid, sched_cancel after the end of the step"},
	} {
		t.Run(c.name+" "+c.rules, func(t *testing.T) { start(t, exe, c.name) })
	}
}

func TestRoots(t *testing.T) {
	exe := program(t, "cc", "roots.c", "-std=c11", "-D_POSIX_C_SOURCE=200809L")
	for _, c := range []struct{ name, rules string }{
		{"again", "B12, E7: add, execute, isValid after the end, and by unhandled_error"},
		{"unused", "B4, B12: free with steps that are not executed"},
		{"unexecuted", "B4, B12: free with steps of unhandled_error that are not executed"},
		{"instances", "B4, B12: newInstance, many times, each used twice"},
		{"any_time", "B7: stateVariable by another thread, all the time"},
		{"last_step", "B7: stateVariable by another thread between the last step and the end"},
		{"same_variable", "B7: stateVariable by two threads at once"},
		{"late_words", "B13, B3: breakLoop, continueLoop by a callback and by another thread"},
		{"void_words", "B13, C6: breakLoop, continueLoop outside of a wait"},
	} {
		t.Run(c.name+" "+c.rules, func(t *testing.T) { start(t, exe, c.name) })
	}
}

// A case in the C source that isn't listed would not run.
func TestEveryCaseIsListed(t *testing.T) {
	source, err := os.ReadFile("testdata/cases.c")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`CASE\((\w+)\)`).FindAllSubmatch(source, -1)
	if len(found) != len(cases)+1 { // and the definition of the macro, CASE(f)
		t.Errorf("%d cases in C, %d here", len(found)-1, len(cases))
	}
	for _, c := range cases {
		if !bytes.Contains(source, []byte("CASE("+c.name+")")) {
			t.Errorf("no case %s", c.name)
		}
	}
}
