import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import * as fc from "fast-check"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { type Datatype, type InputTensor, Options } from "#src/features/providers/kserve/Options.ts"
import * as Tensors from "#src/features/providers/kserve/Tensors.ts"

const encode = (tensor: InputTensor, value: Json, batched = false) =>
  Tensors.encode({ x: tensor }, batched, { x: value })

/** Shape and data of the tensor for a value, or the error. */
const tensorOf = (tensor: InputTensor, value: Json, batched = false) =>
  Result.match(encode(tensor, value, batched), {
    onSuccess: ([tensor]) => ({ shape: tensor?.["shape"], data: tensor?.["data"] }),
    onFailure: (fault) => fault
  })

const answerOf = (...outputs: ReadonlyArray<JsonObject>): Json => ({ model_name: "m", outputs })

const valueOf = (shape: Json, data: Json, batched = false) =>
  Tensors.decode(undefined, batched, answerOf({ name: "y", datatype: "FP32", shape, data }))?.["y"]

describe("An input", () => {
  it("is encoded as tensors by field, whatever their names", () => {
    const inputs = {
      text: { tensor: "TEXT", datatype: "BYTES" },
      count: { datatype: "INT32" },
      seed: { datatype: "INT64" }
    } as const
    const encoded = Tensors.encode(inputs, false, { count: 3, text: "a cat", unknown: 1, seed: null })
    assert.deepStrictEqual(Result.getOrThrow(encoded), [
      { name: "TEXT", shape: [1], datatype: "BYTES", data: ["a cat"] },
      { name: "count", shape: [1], datatype: "INT32", data: [3] }
    ])
  })

  it("uses defaults for absent fields", () => {
    for (const input of [{}, { x: null }])
      assert.deepStrictEqual(
        Result.getOrThrow(Tensors.encode({ x: { datatype: "FP32", default: [0.5] } }, false, input)),
        [{ name: "x", shape: [1], datatype: "FP32", data: [0.5] }]
      )
    assert.deepStrictEqual(Result.getOrThrow(Tensors.encode({ x: { datatype: "FP32" } }, false, {})), [])
  })

  it("has its own shape, with its elements in row-major order", () => {
    const nested = [
      [1, 2, 3],
      [4, 5, 6]
    ]
    assert.deepStrictEqual(tensorOf({ datatype: "FP32" }, nested), {
      shape: [2, 3],
      data: [1, 2, 3, 4, 5, 6]
    })
    assert.deepStrictEqual(tensorOf({ datatype: "FP32" }, []), { shape: [0], data: [] })
    assert.deepStrictEqual(tensorOf({ datatype: "FP32" }, 7), { shape: [1], data: [7] })
  })

  it("is reshaped to the declared shape", () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<number>, Json, ReadonlyArray<number>]> = [
      [[1, 1], "a", [1, 1]],
      [[], "a", []],
      [[-1], "a", [1]],
      [
        [1, -1],
        ["a", "b"],
        [1, 2]
      ],
      [
        [-1, 2],
        ["a", "b", "c", "d"],
        [2, 2]
      ],
      [
        [4],
        [
          ["a", "b"],
          ["c", "d"]
        ],
        [4]
      ],
      [[-1, -1], [["a", "b"]], [1, 2]]
    ]
    for (const [shape, value, expected] of cases) {
      const tensor = tensorOf({ datatype: "BYTES", shape }, value)
      assert.deepStrictEqual(typeof tensor === "string" ? tensor : tensor.shape, expected)
    }
  })

  it("is rejected when it does not fit the shape", () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<number>, Json]> = [
      [[2], ["a"]],
      [
        [1, 3],
        ["a", "b"]
      ],
      [
        [-1, 2],
        ["a", "b", "c"]
      ],
      [
        [-1, -1],
        ["a", "b"]
      ],
      [
        [3, 2],
        [
          ["a", "b", "c"],
          ["d", "e", "f"]
        ]
      ],
      [
        [2, 2],
        [["a", "b"], ["c"]]
      ]
    ]
    for (const [shape, value] of cases)
      assert.match(String(tensorOf({ datatype: "BYTES", shape }, value)), /^field x is expected to have /)
  })

  it("has one more dimension for a model with batches", () => {
    assert.deepStrictEqual(tensorOf({ datatype: "BYTES" }, "a", true), { shape: [1, 1], data: ["a"] })
    assert.deepStrictEqual(tensorOf({ datatype: "FP32", shape: [-1] }, [1, 2], true), {
      shape: [1, 2],
      data: [1, 2]
    })
  })

  it("is limited to its data type's values, and no error quotes it", () => {
    const fine: Readonly<Record<Datatype, ReadonlyArray<Json>>> = {
      BOOL: [true, false],
      UINT8: [0, 255],
      UINT16: [0, 65_535],
      UINT32: [0, 4_294_967_295],
      UINT64: [0, 2 ** 64 - 2 ** 11],
      INT8: [-128, 127],
      INT16: [-32_768, 32_767],
      INT32: [-2_147_483_648, 2_147_483_647],
      INT64: [-(2 ** 63), 2 ** 63 - 2 ** 10],
      FP32: [1.5, -3e38],
      FP64: [1e300],
      BYTES: ["", "naïve ☃"]
    }
    const wrong: Readonly<Record<Datatype, ReadonlyArray<Json>>> = {
      BOOL: [1, "true"],
      UINT8: [-1, 256, 1.5, "1"],
      UINT16: [-1, 65_536],
      UINT32: [-1, 4_294_967_296],
      UINT64: [-1, 2 ** 64 + 2 ** 12],
      INT8: [-129, 128],
      INT16: [-32_769, 32_768],
      INT32: [2_147_483_648],
      INT64: [2 ** 63 + 2 ** 11, 0.5],
      FP32: ["1.5", true],
      FP64: [{}],
      BYTES: [1, { secret: "s3cret" }]
    }
    for (const [datatype, values] of Object.entries(fine) as ReadonlyArray<[Datatype, ReadonlyArray<Json>]>) {
      assert.isTrue(Result.isSuccess(encode({ datatype }, values)), datatype)
      for (const value of wrong[datatype]) {
        const fault = String(tensorOf({ datatype }, [values[0] ?? null, value]))
        assert.match(
          fault,
          /^field x is expected to hold (?:booleans|numbers|strings|whole numbers from -?\d+ to \d+)$/
        )
        assert.notInclude(fault, "s3cret")
      }
    }
  })

  it("must be an object", () => {
    for (const input of [null, [], "text", 7])
      assert.isTrue(Result.isFailure(Tensors.encode({ x: { datatype: "FP32" } }, false, input)))
  })
})

describe("An output", () => {
  it("is a single value for shapes of one element, and nested lists otherwise", () => {
    assert.strictEqual(valueOf([1], [7]), 7)
    assert.strictEqual(valueOf([], [7]), 7)
    assert.deepStrictEqual(valueOf([1, 1], [7]), [[7]])
    assert.deepStrictEqual(valueOf([2, 3], [1, 2, 3, 4, 5, 6]), [
      [1, 2, 3],
      [4, 5, 6]
    ])
    assert.deepStrictEqual(
      valueOf(
        [2, 2],
        [
          [1, 2],
          [3, 4]
        ]
      ),
      [
        [1, 2],
        [3, 4]
      ]
    )
    assert.deepStrictEqual(valueOf([0, 4], []), [])
  })

  it("loses the first dimension of a batch of one", () => {
    assert.strictEqual(valueOf([1, 1], [7], true), 7)
    assert.deepStrictEqual(valueOf([1, 2], [7, 8], true), [7, 8])
    assert.strictEqual(valueOf([1], [7], true), 7)
    assert.deepStrictEqual(valueOf([2, 1], [7, 8], true), [[7], [8]])
  })

  it("has the declared fields, or else all tensors", () => {
    const answer = answerOf(
      { name: "LABEL", datatype: "BYTES", shape: [1], data: ["cat"] },
      { name: "__proto__", datatype: "FP32", shape: [1], data: [0.5] }
    )
    assert.deepStrictEqual(Object.entries(Tensors.decode(undefined, false, answer) ?? {}), [
      ["LABEL", "cat"],
      ["__proto__", 0.5]
    ])
    assert.deepStrictEqual(Tensors.decode({ label: "LABEL" }, false, answer), { label: "cat" })
    assert.isNull(Tensors.decode({ label: "MISSING" }, false, answer))
  })

  it("is rejected when the answer violates the protocol", () => {
    const tensor = { name: "y", datatype: "FP32", shape: [2], data: [1, 2] }
    const wrong: ReadonlyArray<JsonObject> = [
      { ...tensor, name: 1 },
      { ...tensor, shape: [3] },
      { ...tensor, shape: [-2] },
      { ...tensor, shape: "2" },
      { ...tensor, shape: [1e9, 0] },
      { ...tensor, shape: Array.from({ length: 33 }, () => 1), data: [1] },
      { ...tensor, data: [[1], 2] },
      { ...tensor, data: "1,2" },
      { name: "y", datatype: "FP32", shape: [2], parameters: { binary_data_size: 8 } }
    ]
    for (const one of wrong)
      assert.isNull(Tensors.decode(undefined, false, answerOf(one)), JSON.stringify(one))
    for (const answer of [undefined, null, [], {}, { outputs: {} }, { outputs: [null] }])
      assert.isNull(Tensors.decode(undefined, false, answer))
  })

  it("equals the input, in any shape", () => {
    const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
    const nested = (shape: ReadonlyArray<number>, at = { next: 0 }): Json => {
      const [size, ...inner] = shape
      if (size === undefined) return at.next++
      return Array.from({ length: size }, () => nested(inner, at))
    }
    fc.assert(
      fc.property(shapes, fc.boolean(), (shape, batched) => {
        const value = nested(shape)
        const [tensor] = Result.getOrThrow(
          Tensors.encode({ y: { datatype: "INT32" } }, batched, { y: value })
        )
        const back = Tensors.decode(undefined, batched, answerOf(tensor ?? {}))?.["y"]
        const isSingle = shape.length === 1 && shape[0] === 1
        assert.deepStrictEqual(back, isSingle ? 0 : value)
      })
    )
  })
})

describe("The options of kserve", () => {
  const isFine = (options: JsonObject) =>
    Option.isSome(Schema.decodeUnknownOption(Options, { onExcessProperty: "error" })(options))

  it("accept a model, with or without tensors", () => {
    assert.isTrue(isFine({ model: "m" }))
    assert.isTrue(
      isFine({
        model: "m",
        version: "3",
        batched: true,
        parameters: { temperature: 0.2, stream: false, adapter: "a" },
        inputs: { text: { tensor: "TEXT", datatype: "BYTES", shape: [-1], default: "" } },
        outputs: { label: "LABEL" }
      })
    )
  })

  it("reject anything else", () => {
    const input = (tensor: JsonObject): JsonObject => ({ model: "m", inputs: { x: tensor } })
    for (const options of [
      {},
      { model: "" },
      { model: "m", verison: "3" },
      input({}),
      input({ datatype: "FP16" }),
      input({ datatype: "FP32", shape: [0] }),
      input({ datatype: "FP32", shape: [-2] }),
      input({ datatype: "FP32", shape: [1.5] }),
      { model: "m", inputs: { x: { tensor: "T", datatype: "FP32" }, T: { datatype: "FP32" } } },
      { model: "m", outputs: { x: "" } },
      { model: "m", parameters: { x: [] } }
    ])
      assert.isFalse(isFine(options), JSON.stringify(options))
  })
})
