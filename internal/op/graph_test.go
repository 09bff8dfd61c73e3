package op

import "testing"

// Clear keeps the memory for a graph of usual size, and releases that for a very large one.
func TestGraphKeepsLittleRoom(t *testing.T) {
	usual, large := pending{needs: make([]int32, kept)}, pending{needs: make([]int32, kept+1)}
	usual.Follower = new(graph[int, int])
	usual.Clear()
	large.Clear()
	if len(usual.needs) != kept || large.needs != nil {
		t.Errorf("room for %d and %d vertices was kept, want %d and 0", cap(usual.needs), cap(large.needs), kept)
	}
	if usual.Follower != nil {
		t.Error("memory that waits for its next run holds on to an op")
	}
}
