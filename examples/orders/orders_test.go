package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
)

func TestOrders(t *testing.T) {
	for _, c := range []struct {
		name   string
		order  Order
		ok     bool
		parcel string
		err    error
	}{
		{"cheap", Order{"cup", 500}, true, "parcel with a cup", nil},
		{"approved", Order{"teapot", 25_000}, true, "parcel with a teapot", nil},
		{"rejected", Order{"teapot", 25_000}, false, "", errRejected},
		{"declined", Order{"teapot set", 200_000}, true, "", errDeclined},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on, loop := durable.Local()
				run, err := orders.Start(t.Context(), on, c.name, c.order)
				if err != nil {
					t.Fatal(err)
				}
				if err = durable.Send(t.Context(), run, "approval", Approval{"Ann", c.ok}); err != nil {
					t.Fatal(err)
				}
				if parcel, err := run.Wait(t.Context()); parcel != c.parcel || !errors.Is(err, c.err) {
					t.Errorf("got %q, %v", parcel, err)
				}
				if err = loop.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		id, item string
		cents    int
		args     []string
		ok       bool
	}{
		{"order-17", "teapot", 1, nil, true},
		{"", "teapot", 1, nil, false},
		{"order-17", "", 1, nil, false},
		{"order-17", "teapot", 0, nil, false},
		{"order-17", "teapot", -5, nil, false},
		{"order-17", "teapot", 1, []string{"localhost:7233"}, false},
	} {
		if err := options(tt.id, tt.item, tt.cents, tt.args); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// The stored histories of runs on a server replay with the current plan.
func TestHistories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d histories: %v", len(files), err)
	}
	for _, file := range files {
		if err = durabletest.ReplayFile(temporal.Of(orders), file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
