/** Types of a model, as `inferlog codegen` writes them. Only models that stream their output have a `chunk`. */
export interface ModelTypes {
  readonly input: unknown
  readonly output: unknown
  readonly chunk?: unknown
}

/** Types by the name of the model, `owner/name`. */
export type ModelMap<Models> = { readonly [Name in keyof Models]: ModelTypes }

/** Without generated types: every model, with any object as input. */
export type AnyModels = Record<
  string,
  { readonly input: Readonly<Record<string, unknown>>; readonly output: unknown }
>

export type ChunkOf<Types extends ModelTypes> = Types extends { readonly chunk: infer Chunk }
  ? Chunk
  : Types["output"]
