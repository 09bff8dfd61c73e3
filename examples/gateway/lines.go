package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// readLines reads JSON lines, one T each, and skips empty ones.
func readLines[T any](data []byte) ([]T, error) {
	var all []T
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var one T
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&one); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		all = append(all, one)
	}
	return all, nil
}
