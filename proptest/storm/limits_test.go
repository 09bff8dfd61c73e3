package storm_test

// What the storm doesn't draw, because it is known to break a law. Each is set to true with its mend, and removed.

// ringsInRaces: a ring of gates through a race, or through a Linger with an On in it, isn't found.
const ringsInRaces = false
