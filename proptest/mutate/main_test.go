package main

import "testing"

func TestNothingToTry(t *testing.T) {
	if _, err := run(nil, nil, suites, 1); err == nil {
		t.Error("no mutants: no error")
	}
	for _, list := range []string{"2", "-1", "0,x"} {
		if all, err := pick(list, 2); err == nil {
			t.Errorf("%s: %v", list, all)
		}
	}
	if all, err := pick("1,0", 2); err != nil || len(all) != 2 {
		t.Errorf("got %v, %v", all, err)
	}
}
