package share_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/share"
)

func TestPoliciesJSON(t *testing.T) {
	text, err := json.Marshal([]json.Marshaler{share.MemoPolicy{Lifetime: time.Minute, Size: 7}, share.BatchPolicy{Window: 5 * time.Millisecond, Most: 100}})
	if want := `[{"lifetime":"1m0s","size":7},{"window":"5ms","most":100}]`; string(text) != want || err != nil {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	memo := share.MemoPolicy{Size: 5, KeepErrors: func(error) bool { return true }}
	if err := json.Unmarshal([]byte(`{"lifetime":"2s"}`), &memo); err != nil || memo.Lifetime != 2*time.Second || memo.Size != 5 || memo.KeepErrors == nil {
		t.Errorf("%+v, %v", memo, err)
	}
	batch := share.BatchPolicy{Most: 5}
	if err := json.Unmarshal([]byte(`{"window":"2s"}`), &batch); err != nil || batch != (share.BatchPolicy{Window: 2 * time.Second, Most: 5}) {
		t.Errorf("%+v, %v", batch, err)
	}
	for text, want := range map[string]string{`{"lifetime":1}`: "lifetime", `{"keepErrors":true}`: "keepErrors"} {
		if err := json.Unmarshal([]byte(text), &memo); err == nil || !strings.Contains(err.Error(), want) || memo.Size != 5 {
			t.Errorf("%s: %v, %+v", text, err, memo)
		}
	}
	for text, want := range map[string]string{`{"most":-1}`: "Most is below zero: -1", `{"window":"-1s"}`: "Window is below zero: -1s"} {
		if err := json.Unmarshal([]byte(text), &batch); err == nil || !strings.Contains(err.Error(), want) || batch.Most != 5 {
			t.Errorf("%s: %v, %+v", text, err, batch)
		}
	}
}
