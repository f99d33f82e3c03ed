/** The most positions from the first to the last event of a frame. Searches for the frames of a position rely on it. */
export const maxSpan = 8_192
