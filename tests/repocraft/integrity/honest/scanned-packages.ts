/** Wheels of other people that the integrity scan reads, each of another kind; by sha-256. */
export const SCANNED_PACKAGES: readonly { name: string; version: string; sha256: string }[] = [
  { name: 'attrs', version: '23.2.0', sha256: '99b87a485a5820b23b879f04c2305b44b951b502fd64be915879d77a7e8fc6f1' },
  { name: 'jinja2', version: '3.1.4', sha256: 'bc5dd2abb727a5319567b7a813e6a2e7318c39f4f487cfe6c89c6f9c7d25197d' },
  { name: 'setuptools', version: '69.5.1', sha256: 'c636ac361bc47580504644275c9ad802c50415c7522212252c033bd15f301f32' },
  { name: 'pytz', version: '2024.1', sha256: '328171f4e3623139da4983451950b28e95ac706e13f3f2630a879749e7a8b319' },
  { name: 'certifi', version: '2024.7.4', sha256: 'c198e21b1289c2ab85ee4e67bb4b4ef3ead0892059901a8d5b622f24a1101e90' },
  { name: 'idna', version: '3.7', sha256: '82fee1fc78add43492d3a1898bfa6d8a904cc97d8427f683ed8e798d07761aa0' },
  { name: 'chardet', version: '5.2.0', sha256: 'e1cf59446890a00105fe7b7912492ea04b6e6f06d4b742b2c788469e34c82970' },
  { name: 'click', version: '8.1.7', sha256: 'ae74fb96c20a0277a1d615f1e4d73c8414f5a98db8b799a7931d1582f3390c28' },
  { name: 'sqlparse', version: '0.5.0', sha256: 'c204494cd97479d0e39f28c93d46c0b2d5959c7b9ab904762ea6c7af211c8663' },
  { name: 'urllib3', version: '2.2.1', sha256: '450b20ec296a467077128bff42b73080516e71b56ff59a60a02bef2232c4fa9d' },
  { name: 'dill', version: '0.3.8', sha256: 'c36ca9ffb54365bdd2f8eb3eff7d2a21237f8452b57ace88b1ac615b7e815bd7' },
];
