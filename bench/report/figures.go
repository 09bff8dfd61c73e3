package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// key names what was measured: BenchmarkRow/col=column/n=size.
type key struct {
	row, column string
	size        int // 0 if the name of the benchmark has none
}

// figures holds the output of the benchmarks.
type figures struct {
	keys    []key // in the order of their first measurements
	samples map[key]map[string][]float64
	config  map[string]string // values about the machine and its software, by name; of several values the last one is kept
	others  []string          // what else the machine did, round by round
}

// read parses the output of Go's benchmarks, or text in the same format.
func read(r io.Reader, name string) (*figures, error) {
	f := &figures{samples: map[key]map[string][]float64{}, config: map[string]string{}}
	var bad []error
	others := ""
	for reader := benchfmt.NewReader(r, name); ; {
		if !reader.Scan() {
			return f, errors.Join(append(bad, reader.Err())...)
		}
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			bad = append(bad, record)
		case *benchfmt.Result:
			for _, c := range record.Config {
				f.config[c.Key] = string(c.Value)
			}
			if now := f.config["round"]; now != others {
				others = now
				f.others = append(f.others, f.config["others"])
			}
			if err := f.add(record); err != nil {
				bad = append(bad, err)
			}
		}
	}
}

func (f *figures) add(record *benchfmt.Result) error {
	k, err := keyOf(record.Name)
	if err != nil {
		return err
	}
	if f.samples[k] == nil {
		f.samples[k] = map[string][]float64{}
		f.keys = append(f.keys, k)
	}
	for _, v := range record.Values {
		value, unit := v.Value, v.Unit
		if v.OrigUnit != "" { // ns/op comes as sec/op
			value, unit = v.OrigValue, v.OrigUnit
		}
		f.samples[k][unit] = append(f.samples[k][unit], value)
	}
	return nil
}

func keyOf(name benchfmt.Name) (key, error) {
	base, parts := name.Parts()
	k := key{row: string(base)}
	for _, p := range parts {
		part := string(p)
		switch {
		case strings.HasPrefix(part, "-"): // the number of processors
		case strings.HasPrefix(part, "/col="):
			k.column = strings.TrimPrefix(part, "/col=")
		case strings.HasPrefix(part, "/n="):
			n, err := strconv.Atoi(strings.TrimPrefix(part, "/n="))
			if err != nil {
				return k, fmt.Errorf("%s: %w", name, err)
			}
			k.size = n
		default: // a benchmark of another package
			k.column = strings.TrimPrefix(part, "/")
		}
	}
	return k, nil
}
