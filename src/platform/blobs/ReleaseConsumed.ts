import { Stream } from "effect"
import * as Chunks from "./Chunks.ts"

/** Bytes that a consumer may hold. It asks for the next chunk when a socket has taken all before it. */
const held = 256 * 1024

/**
 * The same bytes, for one who writes them out in their order and asks for no more than fit into a socket, as the HTTP server
 * does: the memory of what lies further back is given back (`Chunks.release`). Whoever collects chunks would find them empty,
 * and a store that keeps its blobs in memory would lose them.
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
