/**
 * A text that grows piece by piece, such as a model's output token by token. V8 keeps the pieces of a sum apart until it is read: each
 * is a string of its own, with 32 bytes more for its place. So they are joined many at a time.
 */
export interface GrowingText {
  readonly add: (piece: string) => void
  readonly text: () => string
}

/** Pieces that are kept apart at most. */
const mostPieces = 128

export const make = (): GrowingText => {
  let joined = ""
  let pieces: Array<string> = []
  const join = () => {
    joined += pieces.join("")
    pieces = []
    return joined
  }
  return {
    add: (piece) => {
      if (pieces.push(piece) === mostPieces) join()
    },
    text: join
  }
}
