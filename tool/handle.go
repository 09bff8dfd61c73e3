package tool

// Handle names one scheduled callback of one loop. The zero Handle names none.
//
// Handles are comparable and cheap to keep: a Handle holds nothing alive, and one that outlived its callback
// stays void for ever, because a loop never gives the same Handle out twice. It means something only to the
// loop that issued it.
type Handle uint64
