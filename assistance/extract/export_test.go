package extract

// ReadHere reads a document in the process of the test.
var ReadHere = readHere
