"""Writes the JSON Schemas of 50 pydantic models, as pydantic and FastAPI describe them, into the folder of the argument."""

import datetime as dt
import decimal
import enum
import ipaddress
import json
import pathlib
import sys
import uuid
from typing import Annotated, Any, Dict, Generic, List, Literal, Optional, Set, Tuple, TypeVar, Union

import fastapi
import pydantic
from pydantic import BaseModel, ConfigDict, Field


class Currency(str, enum.Enum):
    eur = "EUR"
    usd = "USD"
    jpy = "JPY"


class Priority(enum.IntEnum):
    low = 1
    normal = 2
    high = 3


class Texts(BaseModel):
    name: str
    code: str = Field(pattern=r"^[A-Z]{2}-\d{4}$", examples=["NL-1234"])
    short: str = Field(max_length=5, default="x")
    remark: Optional[str] = None


class Numbers(BaseModel):
    count: int = Field(ge=0, le=100)
    ratio: float = Field(gt=0, lt=1)
    step: float = Field(multiple_of=0.5, default=1.5)
    maybe: Optional[int] = None


class Money(BaseModel):
    amount: decimal.Decimal = Field(max_digits=10, decimal_places=2)
    currency: Currency = Currency.eur


class Times(BaseModel):
    day: dt.date
    at: dt.datetime
    hour: dt.time
    lasts: dt.timedelta
    until: Optional[dt.date] = None


class Addresses(BaseModel):
    mail: pydantic.EmailStr
    site: pydantic.HttpUrl
    host: ipaddress.IPv4Address
    any_host: Union[ipaddress.IPv4Address, ipaddress.IPv6Address]
    id: uuid.UUID


class Flags(BaseModel):
    agreed: bool
    informed: bool = False
    unknown: Optional[bool] = None


class Postal(BaseModel):
    street: str
    city: str
    country: str = "NL"


class Person(BaseModel):
    name: str
    address: Postal
    second: Optional[Postal] = None
    former: List[Postal] = []


class Lists(BaseModel):
    tags: List[str]
    unique: Set[int]
    frozen: frozenset[Currency] = frozenset()
    nested: List[List[int]] = []
    maybe: Optional[List[str]] = None


class Tuples(BaseModel):
    point: Tuple[float, float]
    mixed: Tuple[str, int, bool]
    any_length: Tuple[int, ...]


class Maps(BaseModel):
    labels: Dict[str, str]
    counts: Dict[str, int] = {}
    people: Dict[str, Person] = {}
    by_currency: Dict[Currency, decimal.Decimal] = {}
    lists: Dict[str, List[str]] = {}


class Choices(BaseModel):
    currency: Currency
    priority: Priority = Priority.normal
    kind: Literal["small", "large"]
    only: Literal["fixed"] = "fixed"
    mixed: Literal["a", 1, True] = "a"
    maybe: Optional[Literal["x", "y"]] = None


class Card(BaseModel):
    method: Literal["card"]
    number: pydantic.SecretStr


class Transfer(BaseModel):
    method: Literal["transfer"]
    iban: str = Field(min_length=15, max_length=34)


class Cash(BaseModel):
    method: Literal["cash"] = "cash"


class Payment(BaseModel):
    pay: Annotated[Union[Card, Transfer, Cash], Field(discriminator="method")]


class Payments(BaseModel):
    pays: List[Annotated[Union[Card, Transfer], Field(discriminator="method")]]


class Unions(BaseModel):
    text_or_number: Union[int, str]
    number_or_list: Union[float, List[float]]
    text_or_person: Union[str, Person]
    people: Union[Person, Postal, None] = None


class Tree(BaseModel):
    name: str
    children: List["Tree"] = []


class Linked(BaseModel):
    value: int
    next: Optional["Linked"] = None


class Left(BaseModel):
    right: Optional["Right"] = None


class Right(BaseModel):
    left: Optional[Left] = None
    size: int = 0


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    first_name: str = Field(alias="firstName", title="First name", description="As in the passport")
    slash: str = Field(alias="a/b~c", default="")


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int
    b: Optional[str] = None


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class TypedExtra(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: Dict[str, int]
    a: str


class Free(BaseModel):
    anything: Any = None
    object: dict = {}
    listed: list = []
    json_text: pydantic.Json = "{}"


class Bytes(BaseModel):
    raw: bytes
    encoded: pydantic.Base64Bytes = b""
    path: pathlib.Path = pathlib.Path("/")
    secret: pydantic.SecretStr


class Computed(BaseModel):
    width: float
    height: float

    @pydantic.computed_field
    @property
    def area(self) -> float:
        return self.width * self.height


class Strict(BaseModel):
    whole: pydantic.StrictInt
    text: pydantic.StrictStr
    positive: pydantic.PositiveInt
    negative: pydantic.NegativeFloat
    finite: pydantic.FiniteFloat = 0.0


class Deprecated(BaseModel):
    old: Annotated[str, Field(deprecated=True)] = ""
    new: str = Field(json_schema_extra={"readOnly": True}, default="n")


class Bounds(BaseModel):
    some: List[int] = Field(min_length=1, max_length=3)
    pairs: List[Tuple[str, int]] = []
    grid: List[List[float]] = [[0.0]]
    map: Dict[Annotated[str, Field(pattern="^[a-z]+$")], int] = {}


class Line(BaseModel):
    article: str
    quantity: int = Field(ge=1)
    price: decimal.Decimal
    vat: Optional[float] = Field(default=None, ge=0, le=1)


class Invoice(BaseModel):
    number: str
    customer: Person
    lines: List[Line]
    discounts: Dict[str, float] = {}
    due: dt.date
    paid: Optional[Payment] = None


class Applicant(Person):
    born: dt.date
    incomes: List[Money]
    guarantor: Optional["Applicant"] = None


class Loan(BaseModel):
    applicant: Applicant
    amount: Money
    months: int = Field(ge=6, le=360, title="Duration in months")
    purpose: Union[Literal["house", "car"], str] = "house"
    documents: List[pydantic.AnyUrl] = []


class Inspection(BaseModel):
    site: Postal
    inspector: str
    findings: List[Union["Defect", "Note"]] = []
    measured: Dict[str, List[float]] = {}


class Defect(BaseModel):
    severity: Priority
    description: str = Field(min_length=10)
    repaired: bool = False


class Note(BaseModel):
    text: str


class Onboarding(BaseModel):
    person: Person
    starts: dt.date
    equipment: Set[Literal["laptop", "phone", "badge"]] = set()
    contract: Annotated[Union["Permanent", "Temporary"], Field(discriminator="type")]
    emergency: Dict[str, str] = Field(default={}, max_length=3)


class Permanent(BaseModel):
    type: Literal["permanent"]
    probation: int = 2


class Temporary(BaseModel):
    type: Literal["temporary"]
    ends: dt.date


class Travel(BaseModel):
    legs: List["Leg"] = Field(min_length=1)
    budget: Optional[Money] = None
    approved: Optional[bool] = None


class Leg(BaseModel):
    origin: str
    to: str
    at: dt.datetime
    means: Literal["train", "plane", "car"] = "train"


class Survey(BaseModel):
    answers: Dict[str, Union[int, str, bool, List[str]]]
    score: Annotated[int, Field(ge=1, le=5)] = 3


class Shift(BaseModel):
    begin: dt.time
    end: dt.time
    days: Set[Literal["mon", "tue", "wed", "thu", "fri"]]
    pause: Optional[dt.timedelta] = None


class Supplier(BaseModel):
    vat: str = Field(pattern=r"^NL\d{9}B\d{2}$")
    ratings: List[Annotated[float, Field(ge=0, le=10)]] = []
    contacts: Dict[Literal["sales", "support"], pydantic.EmailStr] = {}


class Shipment(BaseModel):
    size: Tuple[float, float, float]
    route: List[Tuple[float, float]]
    weight: Annotated[float, Field(gt=0)]
    insured: Union[bool, Money] = False


class Contract(BaseModel):
    parties: List[Union[Person, "Company"]]
    clauses: List["Clause"] = []
    signed: Optional[dt.datetime] = None


class Company(BaseModel):
    legal_name: str
    registry: int


class Clause(BaseModel):
    title: str
    text: str = Field(json_schema_extra={"contentMediaType": "text/markdown"})
    sub: List["Clause"] = []


class Settings(BaseModel):
    retries: int = 3
    endpoints: Dict[str, pydantic.HttpUrl] = {}
    levels: Dict[str, Dict[str, int]] = {}
    matrix: List[List[int]] = []


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    items: List[T]
    next: Optional[str] = None
    total: int = 0


class Budget(BaseModel):
    years: Dict[int, decimal.Decimal]
    owner: Union[Person, Company]


class Recipe(BaseModel):
    steps: List[Annotated[str, Field(min_length=3)]]
    amounts: Dict[str, Tuple[float, str]] = {}


class Root(pydantic.RootModel[Dict[str, Person]]):
    pass


def models():
    known = [m for m in list(globals().values()) if isinstance(m, type) and issubclass(m, BaseModel) and m.__module__ == __name__]
    return [m for m in known if m is not Page] + [Page[Person], Page[Money]]


def main(folder):
    for model in models():
        model.model_rebuild()
    application = fastapi.FastAPI()
    for number, model in enumerate(models()):
        name = model.__name__.replace("[", "_").replace("]", "")
        for mode in ("validation", "serialization"):
            schema = model.model_json_schema(mode=mode)
            (folder / f"pydantic-{name}-{mode}.json").write_text(json.dumps(schema, indent=1, default=str))

        def answer(body):
            return body

        answer.__annotations__ = {"body": model, "return": model}
        application.post(f"/{number}", response_model=model)(answer)
    components = application.openapi()["components"]
    for name in components["schemas"]:
        schema = {"$ref": f"#/components/schemas/{name}", "components": components}
        (folder / f"fastapi-{name}.json").write_text(json.dumps(trim(schema), indent=1, default=str))


def trim(schema):
    """Keeps the schemas that others refer to."""
    all_schemas, kept, names = schema["components"]["schemas"], {}, [schema["$ref"].rsplit("/", 1)[1]]
    while names:
        name = names.pop()
        if name not in kept:
            kept[name] = all_schemas[name]
            names += [part.split('"')[0] for part in json.dumps(kept[name]).split('"#/components/schemas/')[1:]]
    return {"$ref": schema["$ref"], "components": {"schemas": kept}}


main(pathlib.Path(sys.argv[1]))
