/** Where Replicate's API is: the `baseUrl` of its client is `{BASE_URL}/compat/replicate/v1`. */
import { Schema } from "effect"

/** As in the declared routes. */
export const root = "/compat/replicate/v1"

/** Of a model. Any name is routed, so that an unknown one is answered in Replicate's form. */
export const params = {
  owner: Schema.String.annotate({ description: "Owner of the model." }),
  name: Schema.String.annotate({ description: "Name of the model." })
}

export const endpointOf = ({ name, owner }: { readonly owner: string; readonly name: string }): string =>
  `${owner}/${name}`
