import { modelPath, segment } from "./Addresses.ts"
import type { Http } from "./Http.ts"
import { type AnyPage, type Paged, paged } from "./Iterating.ts"
import type { AnyModels, ModelMap } from "./Models.ts"
import type { CallOptions } from "./Scope.ts"
import type * as Wire from "./Wire.ts"

/** What can be run, and what it costs; needs no key (docs/apps/catalog.md). */
export class Catalog<Models extends ModelMap<Models> = AnyModels> {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** Newest first. */
  models(filter: Wire.ListModelsQuery = {}, options?: CallOptions): Paged<Wire.Models> {
    return this.#list("/models", filter, options)
  }

  /** A model or a wrapper, by `owner/name`. */
  model(name: string, options?: CallOptions): Promise<Wire.GetModelAnswer> {
    return this.#get(`/models${modelPath(name)}`, options)
  }

  /** JSON Schemas of its input and output. */
  schema(name: string, options?: CallOptions): Promise<Wire.ModelSchema> {
    return this.#get(`/models${modelPath(name)}/schema`, options)
  }

  wrappers(filter: Wire.ListWrappersQuery = {}, options?: CallOptions): Paged<Wire.Wrappers> {
    return this.#list("/wrappers", filter, options)
  }

  wrapper(name: string, options?: CallOptions): Promise<Wire.Wrapper> {
    return this.#get(`/wrappers${modelPath(name)}`, options)
  }

  collections(filter: Wire.ListCollectionsQuery = {}, options?: CallOptions): Paged<Wire.Collections> {
    return this.#list("/collections", filter, options)
  }

  /** A list with its models. */
  collection(slug: string, options?: CallOptions): Promise<Wire.CollectionWithModels> {
    return this.#get(`/collections/${segment(slug)}`, options)
  }

  /** Models, wrappers and collections, best first. */
  search(
    query: string,
    options: CallOptions & { readonly limit?: number | undefined } = {}
  ): Promise<Wire.SearchResults> {
    return this.#http.ask({ path: "/search", query: { query, limit: options.limit } }, options)
  }

  pricing(filter: Wire.ListPricesQuery = {}, options?: CallOptions): Paged<Wire.Prices> {
    return this.#list("/pricing", filter, options)
  }

  /** What a run of the input would cost. Runs and reserves nothing. */
  estimate<Name extends keyof Models & string>(
    model: Name,
    input: Models[Name]["input"],
    options?: CallOptions
  ): Promise<Wire.Estimate> {
    const json = { modelEndpoint: model, input }
    return this.#http.ask({ method: "POST", path: "/pricing/estimate", json }, options)
  }

  gpus(filter: Wire.ListGpusQuery = {}, options?: CallOptions): Paged<Wire.Gpus> {
    return this.#list("/gpus", filter, options)
  }

  deploymentTemplates(
    filter: Wire.ListDeploymentTemplatesQuery = {},
    options?: CallOptions
  ): Paged<Wire.DeploymentTemplates> {
    return this.#list("/deployment-templates", filter, options)
  }

  deploymentTemplate(id: string, options?: CallOptions): Promise<Wire.DeploymentTemplate> {
    return this.#get(`/deployment-templates/${segment(id)}`, options)
  }

  #get<A>(path: string, options: CallOptions | undefined): Promise<A> {
    return this.#http.ask({ path }, options)
  }

  #list<Page extends AnyPage>(path: string, filter: object, options: CallOptions | undefined): Paged<Page> {
    return paged(this.#http, path, { ...filter }, options)
  }
}
