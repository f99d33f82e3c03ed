/** Layers that a composition gets from its caller. */
import type { Layer } from "effect"

type Provided<L> = L extends Layer.Layer<infer A, infer _E, infer _R> ? A : never
type Failure<L> = L extends Layer.Layer<infer _A, infer E, infer _R> ? E : never
type Needed<L> = L extends Layer.Layer<infer _A, infer _E, infer R> ? R : never

type Typed<P> = { readonly [K in keyof P]: Layer.Layer<Provided<P[K]>, Failure<P[K]>, Needed<P[K]>> }

/** The parts as layers of what they provide, fail with and need, so that a composition is typed by its parts. */
export const typed = <P extends object>(parts: P): Typed<P> => parts as unknown as Typed<P>
