package cron_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
)

func TestJobJSON(t *testing.T) {
	want := `{"name":"sweep","period":"1m0s","jitter":"5s","limit":"30s","overlap":"replace"}`
	job := cron.Job{Name: "sweep", Period: time.Minute, Jitter: 5 * time.Second, Limit: 30 * time.Second, Overlap: cron.Replace}
	if text, err := json.Marshal(job); string(text) != want || err != nil {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	read := cron.Job{Work: idle, Name: "sweep"}
	if err := json.Unmarshal([]byte(`{"period":"1m0s","overlap":"later"}`), &read); err != nil || read.Period != time.Minute || read.Overlap != cron.Later || read.Work == nil || read.Name != "sweep" {
		t.Errorf("%+v, %v", read, err)
	}
	if err := cron.New(read).Plan().Err(); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		`{"period":"daily"}`: "period", `{"period":"-1s"}`: "Period is below zero: -1s", `{"overlap":"often"}`: `"often" is no overlap: skip, later, each or replace`,
		`{"limit":"-1s"}`: "Limit", `{"jitter":"-1s"}`: "Jitter", `{"next":1}`: "next",
	} {
		if err := json.Unmarshal([]byte(text), &read); err == nil || !strings.Contains(err.Error(), want) || read.Period != time.Minute || read.Limit != 0 {
			t.Errorf("%s: %v, %+v", text, err, read)
		}
	}
	if _, err := json.Marshal(cron.Job{Overlap: 9}); err == nil {
		t.Error("an unknown Overlap was written")
	}
	if cron.Overlap(9).String() != "unknown" || cron.Each.String() != "each" {
		t.Error(cron.Each)
	}
}

func TestPeriod(t *testing.T) {
	k := newClock()
	table := cron.New(cron.Job{Name: "job", Period: time.Minute, Work: k.work(5 * time.Second)})
	run := k.run(t, table)
	k.Advance(147 * time.Second)
	want(t, k, "0 begin, 5 end, 60 begin, 65 end, 120 begin")
	run.Cancel(nil)
	k.Run()
	for _, bad := range []cron.Job{
		{Name: "both", Next: cron.Every(time.Minute), Period: time.Minute, Work: idle},
		{Name: "neither", Work: idle},
		{Name: "below zero", Period: -1, Work: idle},
	} {
		if cron.New(bad).Plan().Err() == nil {
			t.Errorf("%s is well formed", bad.Name)
		}
	}
}
