import { Stream } from "effect"
import * as Chunks from "./Chunks.ts"

/** Bytes that a consumer may still be using. It asks for the next chunk when a socket has taken all before it. */
const held = 256 * 1024

/**
 * Returns the same bytes and frees older chunks (`Chunks.release`). For a consumer that writes them in order and
 * asks for no more than a socket takes, as the HTTP server does. A consumer that collects chunks would find them
 * empty, and a store with blobs in memory would lose them.
 */
export const releaseConsumed = <E, R>(
  body: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    return Stream.map(Stream.rechunk(body, 1), (chunk) => {
      chunks.push(chunk)
      bytes += chunk.length
      for (let [first] = chunks; first !== undefined && bytes - first.length >= held; [first] = chunks) {
        chunks.shift()
        bytes -= first.length
        Chunks.release([first])
      }
      return chunk
    })
  })
