/**
 * JSON Schema in the few kinds that the API has, each with the TypeScript type of its values. By hand, because a library for
 * it loaded 370 files at every start: 0.2 s of processor time and 20 MB for what is done here.
 */

declare const value: unique symbol
const optional = Symbol('optional')

export type Schema<Value = unknown> = { readonly [value]?: Value }
/** The type of what a schema describes. */
export type Static<Kind extends Schema> = Kind extends Schema<infer Value> ? Value : never

type Optional<Kind> = Kind & { readonly [optional]: true }
type Properties = Readonly<Record<string, Schema>>
type ObjectSchema<Fields extends Properties> = Schema<ObjectOf<Fields>> & {
  properties: Fields
  required?: string[]
}
type ObjectOf<Fields extends Properties> = {
  [Name in keyof Fields as Fields[Name] extends Optional<Schema> ? never : Name]: Static<Fields[Name]>
} & {
  [Name in keyof Fields as Fields[Name] extends Optional<Schema> ? Name : never]?: Static<Fields[Name]>
}

/** What a schema says beside its kind: a description, bounds, examples. */
type Words = Readonly<Record<string, unknown>>

export const Type = {
  String: (words?: Words): Schema<string> => make({ type: 'string', ...words }),
  Integer: (words?: Words): Schema<number> => make({ type: 'integer', ...words }),
  Boolean: (words?: Words): Schema<boolean> => make({ type: 'boolean', ...words }),
  Enum: <const Value extends string>(values: readonly Value[], words?: Words): Schema<Value> =>
    make({ enum: values, ...words }),
  Literal: <const Value extends string>(value: Value): Schema<Value> =>
    make({ type: 'string', const: value }),
  Array: <Value>(items: Schema<Value>, words?: Words): Schema<Value[]> =>
    make({ type: 'array', items, ...words }),
  Nullable: <Value>(schema: Schema<Value>): Schema<Value | null> =>
    make({ anyOf: [schema, { type: 'null' }] }),
  /** A field that may be missing. */
  Optional: <Kind extends Schema>(schema: Kind): Optional<Kind> => ({ ...schema, [optional]: true }),
  Object<Fields extends Properties>(properties: Fields, words?: Words): ObjectSchema<Fields> {
    const required = Object.keys(properties).filter((name) => !(optional in properties[name]!))
    return make({ type: 'object', ...(required.length > 0 && { required }), properties, ...words })
  },
}

/** The type of its values is known to the compiler only. */
const make = <Kind>(schema: object): Kind => schema as Kind
